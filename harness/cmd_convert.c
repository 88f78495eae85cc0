/* treebench convert: a model or documents of any format that is read into one that is written. */
#include "datasets/format.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "models/format.h"

static enum status convert(const struct input_files *files, const char *out, const char *format,
                           struct error *error) {
    struct inputs inputs;
    enum status status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    status = files->model ? model_write(inputs.ensemble, out, format, error)
                          : data_write(inputs.documents, out, format, error);
    inputs_free(&inputs);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    const char *out = NULL, *format = NULL;
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model to read", .value = &files.model},
        {.name = "data",
         .argument = "FILE",
         .help = "or the documents to read",
         .value = &files.data},
        {.name = "missing",
         .argument = "zero|nan",
         .help = "what a feature is that a document does not name (default: zero)",
         .value = &files.missing},
        {.name = "label", .argument = "COLUMN", .help = LABEL_HELP, .value = &files.label},
        {.name = "queries", .argument = "FILE", .help = QUERIES_HELP, .value = &files.queries},
        {.name = "out", .argument = "FILE", .help = "the file to write", .value = &out},
        {.name = "format",
         .argument = "NAME",
         .help = "the format to write; see treebench list",
         .value = &format},
        {0}};
    bool done;
    int exit_status = command_parse(&command_convert, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if (!files.data && (exit_status = command_require(&command_convert, flags, "model")))
        return exit_status;
    if ((exit_status = command_require(&command_convert, flags, "out")))
        return exit_status;

    struct error error;
    enum status status = STATUS_OK;
    if (files.model && files.data)
        status = error_set(&error, STATUS_INPUT,
                           "--model and --data cannot be converted at once: one file is written");
    if (!status)
        status = command_keep_apart("out", out, "model", files.model, &error);
    if (!status)
        status = command_keep_apart("out", out, "data", files.data, &error);
    if (!status)
        status = command_keep_apart("out", out, "queries", files.queries, &error);
    if (!status)
        status = convert(&files, out, format, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_convert = {
    .name = "convert",
    .summary = "write a model or documents in another format",
    .details =
        "Without --format a model is written as treebench's JSON; documents as a binary cache "
        "where\n"
        "FILE ends in .cache, else as SVMlight text. A cache is mapped into memory instead of "
        "read:\n"
        "large data sets start at once. What an absent feature counts as is settled when it is\n"
        "written.\n\n"
        "Examples:\n"
        "  treebench convert --model ensemble.xml --out ensemble.json\n"
        "  treebench convert --data documents.txt.gz --out documents.cache",
    .run = run,
};
