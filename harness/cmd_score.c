/* treebench score: the scores of documents, in their order. */
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "impls/impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Documents that are scored together stay in the cache while all trees pass over them. */
enum { BLOCK_ROWS = 256 };

static void print_score(double score, char separator, FILE *stream) {
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(score))
        number_format_double(score, text);
    else
        snprintf(text, sizeof text, "%s", isnan(score) ? "nan" : score < 0 ? "-inf" : "inf");
    fprintf(stream, "%s%c", text, separator);
}

static void print_scores(const double *scores, size_t n_rows, uint32_t n_outputs, FILE *stream) {
    for (size_t row = 0; row < n_rows; row++)
        for (uint32_t output = 0; output < n_outputs; output++)
            print_score(scores[row * n_outputs + output], output + 1 < n_outputs ? '\t' : '\n',
                        stream);
}

static enum status score_documents(const struct scorer *scorer, const struct inputs *inputs,
                                   FILE *stream, struct error *error) {
    const struct plan plan = {.order = ORDER_DS};
    const struct matrix *documents = inputs->documents;
    uint32_t n_outputs = scorer->n_outputs;
    double *scores = memory_aligned_alloc((size_t)BLOCK_ROWS * n_outputs * sizeof *scores);
    if (!scores)
        return error_memory(error, "scores");
    for (size_t begin = 0; begin < documents->n_rows; begin += BLOCK_ROWS) {
        size_t left = documents->n_rows - begin, count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
        for (size_t i = 0; i < count; i++)
            memcpy(scores + i * n_outputs, inputs->ensemble->base, n_outputs * sizeof *scores);
        scorer_run(scorer, &plan, matrix_row(documents, begin), documents->stride, count, scores);
        print_scores(scores, count, n_outputs, stream);
    }
    free(scores);
    return STATUS_OK;
}

static enum status score_to_file(const struct scorer *scorer, const struct inputs *inputs,
                                 const char *path, struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    status = score_documents(scorer, inputs, writer.stream, error);
    if (!status)
        return file_write_commit(&writer, error);
    file_write_abandon(&writer);
    return status;
}

static enum status score(const struct inputs *inputs, const char *spec, const char *out,
                         struct error *error) {
    struct scorer *scorer;
    enum status status = scorer_build(spec, inputs->ensemble, &scorer, error);
    if (status)
        return status;
    if (scorer->impl->kind == IMPL_BASELINE)
        status = error_set(error, STATUS_INPUT, "--impl: %s is a baseline and scores nothing",
                           scorer->impl->name);
    else if (out)
        status = score_to_file(scorer, inputs, out, error);
    else
        status = score_documents(scorer, inputs, stdout, error);
    scorer_destroy(scorer);
    return status;
}

static int run(int argc, char **argv) {
    const char *model = NULL, *data = NULL, *spec = "vpred", *missing = NULL, *out = NULL;
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model", .value = &model},
        {.name = "data",
         .argument = "FILE",
         .help = "the documents; - is standard input",
         .value = &data},
        {.name = "impl",
         .argument = "SPEC",
         .help = "the implementation, like vpred,v=8 (default: vpred)",
         .value = &spec},
        {.name = "missing",
         .argument = "zero|nan",
         .help = "what a feature is that a document does not name (default: zero)",
         .value = &missing},
        {.name = "out",
         .argument = "FILE",
         .help = "where the scores go (default: standard output)",
         .value = &out},
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
    enum status status = inputs_read(model, data, missing, &inputs, &error);
    if (status)
        return command_fail(status, &error);
    status = score(&inputs, spec, out, &error);
    inputs_free(&inputs);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_score = {
    .name = "score",
    .summary = "score documents with a model",
    .details = "One line per document, in their order: its score, with the model's base score in\n"
               "it; the outputs of a model with several are separated by tabs.\n\n"
               "Example:\n"
               "  treebench score --model ensemble.xml --data documents.txt --out scores.txt",
    .run = run,
};
