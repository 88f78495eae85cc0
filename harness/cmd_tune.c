/* treebench tune: which implementation is best for calls of how many documents. */
#include "base/number.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/threads.h"
#include "harness/tune.h"
#include "harness/tune_report.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_STANDARD = 40, SECONDS_MOST = 100000, BATCH_MOST = 1000000, SEED = 2018 };
/* Documents that are made up where there are none. */
enum { MADE_UP_DOCS = 20000 };

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void drop_repeated(struct tuning *tuning) {
    size_t kept = 1;
    for (size_t i = 1; i < tuning->n_batches; i++)
        if (tuning->batches[i] != tuning->batches[kept - 1])
            tuning->batches[kept++] = tuning->batches[i];
    tuning->n_batches = kept;
}

/* "1,8,64" into ascending numbers. */
static enum status parse_batches(const char *text, struct tuning *tuning, struct error *error) {
    const char *end = text + strlen(text);
    for (const char *at = text;; at++) {
        int64_t number = 0;
        at = number_parse_i64(at, end, &number);
        if (!at || (*at && *at != ',') || number < 1 || number > BATCH_MOST)
            return error_set(error, STATUS_INPUT,
                             "--batch: '%s' should be numbers from 1 to %d, with commas between",
                             text, (int)BATCH_MOST);
        if (tuning->n_batches == TUNE_BATCHES_MAX)
            return error_set(error, STATUS_INPUT, "--batch: more than %d numbers",
                             (int)TUNE_BATCHES_MAX);
        tuning->batches[tuning->n_batches++] = (size_t)number;
        if (!*at)
            break;
    }
    qsort(tuning->batches, tuning->n_batches, sizeof *tuning->batches, by_number);
    drop_repeated(tuning);
    return STATUS_OK;
}

/* Documents over and over, until there are enough for the largest call. */
static enum status repeat(struct matrix **documents, size_t n_rows, struct error *error) {
    const struct matrix *few = *documents;
    struct matrix *many;
    enum status status = matrix_create(n_rows, few->n_features, &many, error);
    if (status)
        return status;
    for (size_t row = 0; row < n_rows; row++)
        memcpy(matrix_row(many, row), matrix_row(few, row % few->n_rows),
               few->n_features * sizeof(float));
    snprintf(many->note, sizeof many->note, "%zu documents, repeated", few->n_rows);
    matrix_free(*documents);
    *documents = many;
    return STATUS_OK;
}

static enum status provide_documents(struct inputs *inputs, size_t largest, struct error *error) {
    if (!inputs->documents)
        return synth_threshold_documents(inputs->ensemble,
                                         largest > MADE_UP_DOCS ? largest : MADE_UP_DOCS, SEED,
                                         &inputs->documents, error);
    if (inputs->documents->n_rows >= largest)
        return STATUS_OK;
    return repeat(&inputs->documents, largest, error);
}

static enum status print_json(const struct tuned *tuned, struct error *error) {
    cJSON *root = tune_to_json(tuned);
    char *text = root ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    if (!text)
        return error_memory(error, "JSON");
    printf("%s\n", text);
    cJSON_free(text);
    return STATUS_OK;
}

static void print_heading(const struct inputs *inputs, const struct tuning *tuning,
                          const struct tuned *tuned) {
    const char *note = inputs->documents->note;
    printf("%u trees, %zu documents%s%s%s; medians by the %s clock, 95 %% intervals",
           inputs->ensemble->n_trees, tuned->n_docs, *note ? " (" : "", note, *note ? ")" : "",
           tuned->clock);
    if (tuning->threads > 1)
        printf(", %u threads, each with calls of its own", tuning->threads);
    printf("\n");
}

static enum status tune_inputs(struct inputs *inputs, struct tuning *tuning, bool json,
                               struct error *error) {
    struct tuned *tuned = NULL;
    tuning->ensemble = inputs->ensemble;
    tuning->made_up = inputs->documents == NULL;
    enum status status = provide_documents(inputs, tuning->batches[tuning->n_batches - 1], error);
    if (status)
        return status;
    tuning->documents = inputs->documents;
    status = tune(tuning, &tuned, error);
    if (!status && json) {
        status = print_json(tuned, error);
    } else if (!status) {
        print_heading(inputs, tuning, tuned);
        tune_print(tuned);
    }
    tuned_free(tuned);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    const char *batches = "1,8,64,200,1000", *threads = NULL, *seconds = NULL, *json = NULL,
               *codegen = NULL;
    struct flag flags[] = {
        {"model", "FILE", "the model", &files.model, NULL},
        {"data", "FILE", "documents (default: made of the model's thresholds)", &files.data, NULL},
        LABEL_FLAG(files.label),
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        {"batch", "N,N,...", "documents of a call (default: 1,8,64,200,1000)", &batches, NULL},
        {"threads", "N", "threads, each with calls of its own (default: 1)", &threads, NULL},
        {"seconds", "N", "how long it may take, about: see below (default: 40)", &seconds, NULL},
        {"with-codegen", NULL, "also codegen, which may take minutes to compile", &codegen, NULL},
        {"json", NULL, "print JSON", &json, NULL},
        {0}};
    bool done;
    int exit_status = command_parse(&command_tune, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_tune, flags, "model")))
        return exit_status;

    struct error error;
    struct inputs inputs = {0};
    struct tuning tuning = {.with_codegen = codegen != NULL};
    struct plan plan;
    long long time = SECONDS_STANDARD;
    enum status status = threads_parse(threads, NULL, &plan, &error);
    if (!status)
        status = parse_batches(batches, &tuning, &error);
    if (!status && seconds)
        status = command_integer("seconds", seconds, 1, SECONDS_MOST, &time, &error);
    if (!status)
        status = inputs_read(&files, &inputs, &error);
    tuning.threads = plan.threads;
    tuning.seconds = (double)time;
    if (!status)
        status = tune_inputs(&inputs, &tuning, json != NULL, &error);
    inputs_free(&inputs);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "find the fastest implementation for calls of 1, 8, 64 ... documents, for auto",
    .details =
        "Times the implementations on the model, by calls of as many documents as --batch says:\n"
        "all with three rounds, those near the best with more, interleaved. Fits what a call of\n"
        "any number of documents costs, stores it for `auto`, which `score` takes where no --impl\n"
        "is given, and measures that against the best, and against the libraries that are here\n"
        "(treebench list). A first look at each, which builds and checks it, takes as long as it\n"
        "takes; all else fits into --seconds. Of sizes that an earlier run had more seconds for,\n"
        "its times stay, and those of real documents where there is no --data. With --threads\n"
        "nothing is stored, for auto is to serve one thread too. What is stored holds for this\n"
        "model on this processor: see docs/tuning.md.\n\n" READS_HELP "\n"
        "Example:\n"
        "  treebench tune --model lightgbm.txt --data table.csv --label price",
    .run = run,
};
