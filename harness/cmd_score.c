/* treebench score: the scores of documents, in their order. */
#include "base/file.h"
#include "base/number.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/scores.h"
#include "harness/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void print_score(double score, char separator, FILE *stream) {
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(score))
        number_format_double(score, text);
    else
        snprintf(text, sizeof text, "%s", isnan(score) ? "nan" : score < 0 ? "-inf" : "inf");
    fprintf(stream, "%s%c", text, separator);
}

static void print_scores(const struct scores *scores, size_t n_rows, FILE *stream) {
    uint32_t n = scores->n_outputs;
    for (size_t row = 0; row < n_rows; row++)
        for (uint32_t output = 0; output < n; output++)
            print_score(scores->values[row * n + output], output + 1 < n ? '\t' : '\n', stream);
}

static enum status print_to_file(const struct scores *scores, size_t n_rows, const char *path,
                                 struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    print_scores(scores, n_rows, writer.stream);
    return file_write_commit(&writer, error);
}

/* Values whose nearest float32 lies on another side of a threshold. */
static void tell_placed(const struct inputs *inputs) {
    if (!inputs->ensemble->threshold_double)
        return;
    command_note("%zu values were placed: as float32 they would cross one of the model's double "
                 "thresholds; %" PRIu32 " features were coded by rank",
                 inputs->documents->n_placed, inputs->n_coded);
}

static enum status score(const struct inputs *inputs, const char *spec, const struct plan *plan,
                         const char *out, bool verbose, struct error *error) {
    struct scores scores;
    size_t n_rows = inputs->documents->n_rows;
    enum status status =
        scores_make(inputs->ensemble, spec, plan, inputs->documents, &scores, error);
    if (status)
        return status;
    if (verbose) {
        command_note("%s", scores.by);
        tell_placed(inputs);
    }
    if (out)
        status = print_to_file(&scores, n_rows, out, error);
    else
        print_scores(&scores, n_rows, stdout);
    scores_free(&scores);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    const char *spec = "auto", *out = NULL, *threads = NULL, *parallel = NULL, *verbose = NULL;
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model", .value = &files.model},
        {.name = "data",
         .argument = "FILE",
         .help = "the documents; - is standard input",
         .value = &files.data},
        {.name = "impl",
         .argument = "SPEC",
         .help = "the implementation, like vpred,v=8 (default: auto)",
         .value = &spec},
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        LABEL_FLAG(files.label),
        TREES_FLAG(files.trees),
        {.name = "out",
         .argument = "FILE",
         .help = "where the scores go (default: -, standard output)",
         .value = &out},
        {.name = "threads", .argument = "N", .help = THREADS_HELP, .value = &threads},
        {.name = "parallel",
         .argument = "documents|trees|both",
         .help = PARALLEL_HELP,
         .value = &parallel},
        {.name = "verbose",
         .help = "say on stderr what scores: what auto chose",
         .value = &verbose},
        {0}};
    bool done;
    int exit_status = command_parse(&command_score, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_score, flags, "model")) ||
        (exit_status = command_require(&command_score, flags, "data")))
        return exit_status;

    struct error error;
    struct inputs inputs;
    struct plan plan = {.order = ORDER_DS};
    enum status status = threads_parse(threads, parallel, &plan, &error);
    if (!status)
        status = command_keep_apart("out", out, "model", files.model, &error);
    if (!status)
        status = command_keep_apart("out", out, "data", files.data, &error);
    if (!status)
        status = inputs_read(&files, &inputs, &error);
    if (status)
        return command_fail(status, &error);
    status = score(&inputs, spec, &plan, out, verbose != NULL, &error);
    inputs_free(&inputs);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_score = {
    .name = "score",
    .summary = "score documents with a model",
    .details = "One line per document, in their order: its score, with the model's base score in\n"
               "it; the outputs of a model with several are separated by tabs. Scores are raw: no "
               "sigmoid,\n"
               "no softmax, a forest's votes are added up. Labels are not looked at.\n" READS_HELP
               "Threads over trees add in another order than one thread: last digits may differ.\n"
               "Exit status 4: the implementation cannot run here.\n\n"
               "Example:\n"
               "  treebench score --model ensemble.xml --data documents.txt --out scores.txt\n"
               "  treebench score --model lightgbm.txt --data table.csv.gz --label price",
    .run = run,
};
