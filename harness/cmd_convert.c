/* treebench convert: a model or documents of any format that is read into one that is written. */
#include "datasets/format.h"
#include "datasets/formats.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "models/format.h"

/* What a format's numbers cannot hold, and what none has a place for. */
static void tell_model(const char *path, const struct ensemble *ensemble, const char *format) {
    const struct model_format *writer = model_writer(format);
    size_t rounded = 0;
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        rounded += ensemble->value[i] != (double)(float)ensemble->value[i];
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        rounded += ensemble->base[k] != (double)(float)ensemble->base[k];
    if (writer && writer->float32_leaves && rounded)
        command_note("%s: %zu of %zu leaf values and base scores were rounded to float32, which is "
                     "what %s has",
                     path, rounded, ensemble->n_leaves + ensemble->n_outputs, writer->title);
    if (writer && !writer->names_features && ensemble->feature_names)
        command_note(
            "%s: feature names were not written: %s has none; columns are taken by position", path,
            writer->title);
    if (ensemble->objective[0])
        command_note("%s: the objective '%s' was not written: scores are raw", path,
                     ensemble->objective);
}

static void tell_documents(const struct input_files *files, const struct matrix *documents,
                           const char *out, const char *format) {
    inputs_tell_words(files->data, documents);
    if (documents->column_names && data_writer(out, format) == &data_format_svmlight)
        command_note("%s: SVMlight text has no names of columns: they became features 1 to %u", out,
                     documents->n_named);
}

static enum status convert(const struct input_files *files, const char *out, const char *format,
                           struct error *error) {
    struct inputs inputs;
    enum status status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    status = files->model ? model_write(inputs.ensemble, out, format, error)
                          : data_write(inputs.documents, out, format, error);
    if (!status && files->model) {
        inputs_tell_trees(files->model, inputs.ensemble);
        tell_model(out, inputs.ensemble, format);
    } else if (!status)
        tell_documents(files, inputs.documents, out, format);
    inputs_free(&inputs);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {.use = INPUTS_SHOWN};
    const char *out = NULL, *format = NULL;
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model to read", .value = &files.model},
        {.name = "data",
         .argument = "FILE",
         .help = "or the documents to read",
         .value = &files.data},
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        LABEL_FLAG(files.label),
        QUERIES_FLAG(files.queries),
        TREES_FLAG(files.trees),
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
    if (!format && files.model)
        format = model_writer_by_suffix(out);
    if (!status)
        status = convert(&files, out, format, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_convert = {
    .name = "convert",
    .summary = "write a model or documents in another format",
    .details =
        "Without --format a model is written as ONNX where FILE ends in .onnx, as QuickRank's XML\n"
        "where it ends in .xml, else as treebench's JSON; documents as a binary cache where FILE\n"
        "ends in .cache, else as SVMlight text. A cache is mapped into memory instead of read:\n"
        "large data sets start at once. What an absent feature counts as is settled when it is\n"
        "written. It keeps the names of a table's columns, which SVMlight text cannot; both have\n"
        "the queries of a column qid, and numbers for words, in sorted order.\n\n"
        "Models keep their scores, which are raw: what they were trained for (the objective) is\n"
        "not written. XGBoost's format and ONNX round leaf values to float32; how many is said.\n"
        "ONNX and QuickRank's have no names of features; that is said too.\n\n"
        "Examples:\n"
        "  treebench convert --model ensemble.xml --out ensemble.json\n"
        "  treebench convert --data documents.txt.gz --out documents.cache",
    .run = run,
};
