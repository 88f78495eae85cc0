/* treebench convert: a model or documents of any format that is read into one that is written. */
#include "datasets/format.h"
#include "datasets/formats.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "models/formats.h"

/* Thresholds that are no float32. */
static size_t count_narrowed(const struct ensemble *ensemble) {
    size_t narrowed = 0;
    for (size_t i = 0; ensemble->threshold_double && i < ensemble->n_nodes; i++)
        narrowed += ensemble->threshold_double[i] != (double)ensemble->threshold[i];
    return narrowed;
}

/* What a format's numbers cannot hold, and what none has a place for. */
static void tell_model(const char *path, const struct ensemble *ensemble,
                       const struct model_format *writer) {
    size_t rounded = 0;
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        rounded += ensemble->value[i] != (double)(float)ensemble->value[i];
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        rounded += ensemble->base[k] != (double)(float)ensemble->base[k];
    if (writer->float32_leaves && rounded)
        command_note("%s: %zu of %zu leaf values and base scores were rounded to float32, which is "
                     "what %s has",
                     path, rounded, ensemble->n_leaves + ensemble->n_outputs, writer->title);
    size_t narrowed = count_narrowed(ensemble);
    if (!writer->compares_doubles && narrowed)
        command_note("%s: %zu of %zu thresholds were rounded down to float32, which %s compares: "
                     "float32 documents score the same, decimals next to a threshold may not",
                     path, narrowed, ensemble->n_nodes, writer->title);
    if (writer != &model_format_treebench && ensemble->categories)
        command_note("%s: the words of categories were not written: documents need their codes",
                     path);
    if (!writer->names_features && ensemble->feature_names)
        command_note(
            "%s: feature names were not written: %s has none; columns are taken by position", path,
            writer->title);
    if (ensemble->objective[0])
        command_note("%s: the objective '%s' was not written: scores are raw", path,
                     ensemble->objective);
}

static void tell_documents(const struct input_files *files, const struct matrix *documents,
                           const char *out, const struct data_format *writer) {
    inputs_tell_words(files->data, documents);
    if (documents->column_names && writer == &data_format_svmlight)
        command_note("%s: SVMlight text has no names of columns: they became features 1 to %u", out,
                     documents->n_named);
    if (documents->note[0] && writer == &data_format_csv)
        command_note("%s: the note '%s' was not written: CSV has no place for it", out,
                     documents->note);
}

static enum status convert(const struct input_files *files, const char *out, const char *format,
                           struct error *error) {
    struct inputs inputs;
    const struct model_format *to_model = NULL;
    const struct data_format *to_documents = NULL;
    enum status status = files->model ? model_find_writer(out, format, &to_model, error)
                                      : data_find_writer(out, format, &to_documents, error);
    if (!status)
        status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    status = to_model ? model_write(inputs.ensemble, out, format, error)
                      : data_write(inputs.documents, out, format, error);
    if (!status && to_model) {
        inputs_tell_trees(files->model, inputs.ensemble);
        tell_model(out, inputs.ensemble, to_model);
    } else if (!status)
        tell_documents(files, inputs.documents, out, to_documents);
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
        {.name = "out",
         .argument = "FILE",
         .help = "the file to write; - is standard output",
         .value = &out},
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
        "Without --format the end of FILE's name says which, before .gz if it ends in that and is "
        "to\n"
        "be packed. Models: .json is treebench's JSON, .onnx ONNX, .xml QuickRank's XML. "
        "Documents:\n"
        ".txt, .svm, .svmlight and .libsvm are SVMlight text, .csv a table, .cache a binary "
        "cache.\n"
        "Other ends are refused. Standard output (-) and names without an end get JSON and "
        "SVMlight\n"
        "text.\n\n"
        "A cache is mapped into memory instead of read: large data sets start at once. What an\n"
        "absent feature counts as is settled when it is written. A cache and a table keep the "
        "names\n"
        "of columns, which SVMlight text cannot. All three have the queries of a column qid, and\n"
        "numbers for words, in sorted order.\n\n"
        "Models keep their scores, which are raw: what they were trained for (the objective) is\n"
        "not written. XGBoost's format and ONNX round leaf values to float32; how many is said.\n"
        "ONNX and QuickRank's have no names of features; that is said too.\n\n"
        "Examples:\n"
        "  treebench convert --model ensemble.xml --out ensemble.json\n"
        "  treebench convert --data documents.txt.gz --out documents.cache",
    .run = run,
};
