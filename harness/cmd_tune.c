/* treebench tune: which implementation is best for calls of how many documents. */
#include "base/number.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/threads.h"
#include "harness/tune.h"
#include "harness/tune_documents.h"
#include "harness/tune_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_STANDARD = 40, SECONDS_MOST = 100000, BATCH_MOST = 1000000 };

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

static void print_heading(const struct tuning *tuning, const struct tuned *tuned) {
    const char *note = tuning->documents->note;
    printf("%u trees, %zu documents%s%s%s; medians by the %s clock, 95 %% intervals",
           tuning->ensemble->n_trees, tuned->n_docs, *note ? " (" : "", note, *note ? ")" : "",
           tuned->clock);
    if (tuning->threads > 1)
        printf(", %u threads, each with calls of its own", tuning->threads);
    printf("\n");
}

static void print_report(const struct tuning *tuning, const struct tuned *tuned) {
    print_heading(tuning, tuned);
    tune_print(tuned);
}

static enum status tune_inputs(const struct inputs *inputs, struct tuning *tuning, bool json,
                               struct error *error) {
    struct tuned *tuned = NULL;
    struct tune_documents documents;
    tuning->ensemble = inputs->ensemble;
    enum status status = tune_documents_choose(inputs->documents, tuning, &documents, error);
    if (!status)
        status = tune(tuning, &tuned, error);
    if (!status && json)
        status = print_json(tuned, error);
    else if (!status)
        print_report(tuning, tuned);
    if (!status && tuned->not_stored.text[0])
        command_note("nothing stored for auto: %s", tuned->not_stored.text);
    tuned_free(tuned);
    matrix_free(documents.made);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    const char *batches = "1,8,64,256,512,1000", *threads = NULL, *seconds = NULL, *json = NULL,
               *codegen = NULL, *fresh = NULL;
    struct flag flags[] = {
        {"model", "FILE", "the model", &files.model, NULL},
        {"data", "FILE", "documents (default: made of the model's thresholds)", &files.data, NULL},
        LABEL_FLAG(files.label),
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        TREES_FLAG(files.trees),
        {"batch", "N,N,...", "documents of a call (default: 1,8,64,256,512,1000)", &batches, NULL},
        {"threads", "N", "threads, each with calls of its own (default: 1)", &threads, NULL},
        {"seconds", "N", "approximate time budget in seconds (default: 40)", &seconds, NULL},
        {"with-codegen", NULL, "also codegen, which may take minutes to compile", &codegen, NULL},
        {"fresh", NULL, "ignore and replace what earlier runs stored", &fresh, NULL},
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
    struct tuning tuning = {.with_codegen = codegen != NULL, .fresh = fresh != NULL};
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
        "Times the implementations on the model, in calls of the sizes that --batch lists. All\n"
        "are screened with three rounds. Those near the best get more, interleaved. The times are\n"
        "stored for `auto`, the default of `score`. At a size that was measured, `auto` uses the\n"
        "fastest implementation. At other sizes it does as without tuning, unless the times prove\n"
        "another faster. In the ranking, `auto,costs=default` is auto without tuning. Finally\n"
        "`auto` is measured against the best and against the libraries that are installed\n"
        "(treebench list).\n\n"
        "Building, checking and a first look at each implementation take as long as they take;\n"
        "the rest fits into --seconds. Few documents are resampled, so that branch predictors\n"
        "cannot learn them by heart. Stored times of a size stay if they are of better documents\n"
        "or had more time; --fresh replaces everything. With --threads nothing is stored, because\n"
        "auto serves one thread too. If nothing can be stored, a note says why, and the exit\n"
        "status is still 0. Stored times hold for this model on this processor: see\n"
        "docs/tuning.md.\n\n" READS_HELP "\n"
        "Example:\n"
        "  treebench tune --model lightgbm.txt --data table.csv --label price",
    .run = run,
};
