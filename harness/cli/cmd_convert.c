/* treebench convert: converts a model or documents to another format. */
#include "datasets/data.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "models/formats.h"
#include "models/votes.h"

struct convert_options {
    struct input_files files;
    const char *out, *format;
    bool as_outputs;
};

/* Counts the thresholds that float32 cannot represent. */
static size_t count_narrowed(const struct ensemble *ensemble) {
    size_t narrowed = 0;
    for (size_t i = 0; ensemble->threshold_double && i < ensemble->n_nodes; i++)
        narrowed += ensemble->threshold_double[i] != (double)ensemble->threshold[i];
    return narrowed;
}

/* Reports what was rounded or left out in the written file. */
static void tell_model(const char *path, const struct ensemble *ensemble,
                       const struct model_format *writer) {
    size_t rounded = 0;
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        rounded += ensemble->value[i] != (double)(float)ensemble->value[i];
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        rounded += ensemble->base[k] != (double)(float)ensemble->base[k];
    if (writer->float32_leaves && rounded)
        command_note("%s: %zu of %zu leaf values and base scores were rounded to float32, because "
                     "%s stores float32",
                     path, rounded, ensemble->n_leaves + ensemble->n_outputs, writer->title);
    if (ensemble->votes && !writer->votes)
        command_note(
            "%s: each tree was written once per class that it votes for, because %s has no votes",
            path, writer->title);
    size_t narrowed = count_narrowed(ensemble);
    if (!writer->compares_doubles && narrowed)
        command_note(
            "%s: %zu of %zu thresholds were rounded down to float32, because %s compares float32; "
            "float32 documents score the same, but decimals next to a threshold may not",
            path, narrowed, ensemble->n_nodes, writer->title);
    if (writer != &model_format_treebench && ensemble->categories)
        command_note(
            "%s: the names of categories were not written; documents must contain their codes",
            path);
    if (!writer->names_features && ensemble->feature_names)
        command_note("%s: feature names were not written, because %s has none; columns are taken "
                     "by position",
                     path, writer->title);
    if (ensemble->objective[0])
        command_note("%s: the objective '%s' was not written; scores are raw", path,
                     ensemble->objective);
}

static void tell_documents(const struct input_files *files, const struct matrix *documents,
                           const char *out, const struct data_format *writer) {
    inputs_tell_words(files->data, documents);
    if (documents->column_names && writer == &data_format_svmlight)
        command_note("%s: SVMlight text has no column names; the columns became features 1 to %u",
                     out, documents->n_named);
    if (documents->note[0] && writer == &data_format_csv)
        command_note("%s: the note '%s' was not written, because CSV has no place for it", out,
                     documents->note);
}

/* Replaces a model that votes by one tree per class. */
static enum status to_outputs(const char *path, struct inputs *inputs, struct error *error) {
    struct ensemble *outputs;
    struct error reason;
    if (!inputs->ensemble->votes)
        return error_set(error, STATUS_INPUT, "--as-outputs: the trees of %s do not vote", path);
    enum status status = ensemble_votes_to_margins(inputs->ensemble, &outputs, &reason);
    if (status)
        return error_set(error, status, "%s: %s", path, reason.text);
    outputs->categories = inputs->ensemble->categories;
    inputs->ensemble->categories = NULL;
    ensemble_free(inputs->ensemble);
    inputs->ensemble = outputs;
    return STATUS_OK;
}

static enum status convert(const struct convert_options *options, struct error *error) {
    const struct input_files *files = &options->files;
    const char *out = options->out, *format = options->format;
    struct inputs inputs;
    const struct model_format *to_model = NULL;
    const struct data_format *to_documents = NULL;
    enum status status = files->model ? model_find_writer(out, format, &to_model, error)
                                      : data_find_writer(out, format, &to_documents, error);
    if (!status)
        status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    if (options->as_outputs)
        status = to_outputs(files->model, &inputs, error);
    if (!status)
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

static const struct flag flags[] = {
    MODEL_FLAG(convert_options, files, false),
    DATA_FLAG(convert_options, files, false),
    MISSING_FLAG(convert_options, files),
    READING_FLAGS(convert_options, files),
    QUERIES_FLAG(convert_options, files),
    TREES_FLAG(convert_options, files),
    {"out", "FILE", "the file to write; - is standard output", SETS_TEXT(convert_options, out),
     .required = true, .file = FLAG_WRITES},
    {"format", "NAME", "the format to write; see treebench list",
     SETS_TEXT(convert_options, format)},
    {"as-outputs", NULL, "write a model that votes as one tree per class",
     SETS_SWITCH(convert_options, as_outputs)},
    {0}};

static enum status check(const struct convert_options *options, struct error *error) {
    const struct input_files *files = &options->files;
    if (!files->model && !files->data)
        return error_set(error, STATUS_INPUT, "convert: --data FILE or --model FILE is required");
    if (files->model && files->data)
        return error_set(error, STATUS_INPUT,
                         "--model and --data cannot be used together. Convert one file at a time");
    if (options->as_outputs && !files->model)
        return error_set(error, STATUS_INPUT, "--as-outputs has no effect on documents");
    return STATUS_OK;
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct convert_options *options = parsed->request;
    enum status status = check(options, error);
    if (!status)
        status = convert(options, error);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .summary = "write a model or documents in another format",
    .details = "Without --format, the suffix of --out decides; .gz after it compresses the file.\n"
               "\n"
               "  models     .json   treebench's JSON\n"
               "             .onnx   ONNX\n"
               "             .xml    QuickRank's XML\n"
               "  documents  .txt, .svm, .svmlight, .libsvm   SVMlight text\n"
               "             .csv                             a table\n"
               "             .cache                           a binary cache\n"
               "\n"
               "Standard output (-) and names without a suffix get JSON or SVMlight text. Other "
               "suffixes are an error.\n"
               "\n"
               "A cache is mapped into memory instead of read, so large data sets start at once. "
               "The value of absent features is fixed when the cache is written. A cache and a "
               "table keep column names; SVMlight text cannot. All three keep the queries of a "
               "column qid, and replace text by numbers in sorted order.\n"
               "\n"
               "Models keep their raw scores. The objective that they were trained for is not "
               "written. XGBoost's format and ONNX round leaf values to float32. ONNX and "
               "QuickRank's XML have no feature names. A note on stderr reports what was lost.\n"
               "\n"
               "With --as-outputs, each tree of a model that votes is written once per class that "
               "it votes for, with leaves of 1 and 0. A model for two classes becomes one output: "
               "the votes for class 1 minus those for class 0.\n"
               "\n"
               "Examples:\n"
               "  treebench convert --model ensemble.xml --out ensemble.json\n"
               "  treebench convert --data documents.txt.gz --out documents.cache",
    .flags = flags,
    .request = &(struct convert_options){.files.use = INPUTS_SHOWN},
    .run = run,
};
