#include "harness/cli/shared/inputs.h"

#include "base/files/file.h"
#include "harness/cli/shared/command.h"
#include "harness/instruments/timer.h"
#include "models/categories.h"
#include "models/format.h"
#include "models/placing.h"
#include "models/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const missing_words[] = {"zero", "nan", NULL};
const char *const first_feature_words[] = {"0", "1", NULL};
const char *const trees_words[] = {"best", NULL};
const char *const data_format_words[] = {"csv", "svmlight", NULL};

/* --- options ---------------------------------------------------------------------------------- */

struct data_reading inputs_reading(const struct input_files *files) {
    static const struct data_format *const formats[] = {
        [DATA_FORMAT_TABLE] = &data_format_csv, [DATA_FORMAT_SVMLIGHT] = &data_format_svmlight};
    return (struct data_reading){.format = formats[files->data_format],
                                 .label = files->label,
                                 .queries = files->queries,
                                 .missing = files->missing == MISSING_NAN ? NAN : 0,
                                 .missing_given = files->missing != 0,
                                 .from_zero = files->first_feature == FIRST_FEATURE_ZERO,
                                 .first_feature_given = files->first_feature != 0};
}

static enum status parse(const struct input_files *files, struct data_reading *reading,
                         struct error *error) {
    static const enum data_words words[] = {[INPUTS_SCORED] = WORDS_LABELS_ONLY,
                                            [INPUTS_JUDGED] = WORDS_REFUSED,
                                            [INPUTS_SHOWN] = WORDS_CODED};
    *reading = inputs_reading(files);
    reading->words = words[files->use];
    enum status status = STATUS_OK;
    if (files->model && files->data && strcmp(files->model, "-") == 0 &&
        strcmp(files->data, "-") == 0)
        status = error_set(error, STATUS_INPUT, "--model and --data cannot both be standard input");
    if (!status && files->profile &&
        (strcmp(files->model, "-") == 0 || strcmp(files->profile, "-") == 0))
        status = error_set(error, STATUS_INPUT,
                           "--profile needs files: neither it nor --model can be standard input");
    return status;
}

/* --- files that cannot be read ---------------------------------------------------------------- */

/* Improves the error for a file that cannot be read, if a model was given as documents or documents
 * as a model. This mistake is frequent. */
static enum status refuse(const char *path, bool as_model, enum status status,
                          struct error *error) {
    struct file_text text;
    const struct error reason = *error;
    if (strcmp(path, "-") == 0 || file_read(path, &text, NULL) != STATUS_OK)
        return status;
    const struct model_format *model = model_recognise(text.data, text.size);
    const struct data_format *data = data_recognise(text.data, text.size);
    if (as_model && text.size && !model && data && !file_foreign(&text))
        error_set(error, status,
                  "%s: not a model. It looks like documents (%s). Did you mean --data?", path,
                  data->name);
    else if (!as_model && model && data)
        error_set(error, status, "%.800s. This looks like a model (%s). Did you mean --model?",
                  reason.text, model->name);
    else if (!as_model && model)
        error_set(error, status,
                  "%s: not documents. It looks like a model (%s). Did you mean --model?", path,
                  model->name);
    file_text_free(&text);
    return status;
}

static enum status read_model(const char *path, struct ensemble **ensemble, struct error *error) {
    enum status status = model_read(path, ensemble, error);
    return status == STATUS_INPUT ? refuse(path, true, status, error) : status;
}

static enum status read_documents(const char *path, const struct data_reading *reading,
                                  struct matrix **documents, struct error *error) {
    enum status status = data_read(path, reading, documents, error);
    if (status == STATUS_INPUT)
        return refuse(path, false, status, error);
    if (!status && (*documents)->n_rows == 0)
        return error_set(error, STATUS_INPUT, "%s: the file has no documents", path);
    return status;
}

/* --- which trees ------------------------------------------------------------------------------ */

static enum status keep_trees(const struct input_files *files, struct ensemble *ensemble,
                              struct error *error) {
    if (!files->trees)
        return STATUS_OK;
    if (!ensemble->best_trees)
        return error_set(error, STATUS_INPUT,
                         "%s: the model does not record a best iteration. Omit --trees best",
                         files->model);
    ensemble_keep_first(ensemble, ensemble->best_trees);
    return STATUS_OK;
}

void inputs_tell_trees(const char *path, const struct ensemble *ensemble) {
    if (ensemble->best_trees && ensemble->best_trees < ensemble->n_trees)
        command_note("%s: early stopping found the best iteration at tree %" PRIu32 " of %" PRIu32
                     ". All trees are used; --trees best stops there, as XGBoost's scikit-learn "
                     "wrapper does",
                     path, ensemble->best_trees, ensemble->n_trees);
}

/* Reports that a forest's scores are averages of its trees, like LightGBM's predictions. LightGBM's
 * raw scores are sums. */
static void tell_average(const char *path, const struct ensemble *ensemble) {
    if (ensemble->averaged > 1)
        command_note("%s: a random forest: scores are averages over %" PRIu32
                     " iterations; LightGBM's raw scores are sums",
                     path, ensemble->averaged);
}

/* --- do they belong together? ----------------------------------------------------------------- */

/* Returns the largest feature index that a node tests, plus 1, among the features of documents. */
static uint32_t tested_features(const struct ensemble *ensemble) {
    uint32_t tested = 0, given = ensemble_given_features(ensemble);
    for (size_t i = 0; i < ensemble->n_nodes; i++)
        if (ensemble->feature[i] >= tested && ensemble->feature[i] < given)
            tested = ensemble->feature[i] + 1;
    return tested;
}

/* Fails if columns would be matched with features by position although their numbers differ. Some
 * formats do not store the number of features, so more columns are then accepted. */
static enum status check_width(const struct input_files *files, const struct inputs *inputs,
                               struct error *error) {
    const struct matrix *documents = inputs->documents;
    const struct ensemble *model = inputs->ensemble;
    uint32_t given = ensemble_given_features(model);
    if (documents->columns == COLUMNS_NUMBERED || documents->columns == COLUMNS_BY_NAME ||
        documents->n_named == given || (model->open_width && documents->n_named > given))
        return STATUS_OK;
    bool too_few = documents->n_named < given;
    return error_set(
        error, STATUS_INPUT,
        "%s: the table has %" PRIu32 " feature columns, but %s needs %s%" PRIu32 "%s. %s",
        files->data, documents->n_named, files->model, model->open_width ? "at least " : "", given,
        model->feature_names ? ", or columns named as its features" : "",
        too_few
            ? "Check that this is the right file"
            : "Name the column of labels with --label, and remove columns that are not features");
}

/* Warns if the documents have more or fewer features than the model, because users rarely want
 * this. */
static void tell_width(const struct input_files *files, const struct inputs *inputs) {
    uint32_t named = inputs->documents->n_named, tested = tested_features(inputs->ensemble);
    uint32_t width = inputs->ensemble->n_features;
    uint32_t first = inputs->documents->from_zero ? 0 : 1, last = named ? named - 1 + first : 0;
    const char *absent = files->missing == MISSING_NAN ? "NaN" : "0";
    if (inputs->documents->columns == COLUMNS_NUMBERED && !inputs->ensemble->open_width &&
        named > width)
        command_note("%s: the largest feature number is %" PRIu32 " (numbering begins at %" PRIu32
                     "), but %s has %" PRIu32 " features. The others are ignored%s",
                     files->data, last, first, files->model, width,
                     files->first_feature || !first || inputs->from_cache
                         ? ""
                         : ". If numbering begins at 0, add --first-feature 0");
    if (named == 0 && tested > 0)
        command_note("%s: the documents have no features. All are taken as %s", files->data,
                     absent);
    else if (named < tested)
        command_note("%s: the largest feature number is %" PRIu32 " (numbering begins at %" PRIu32
                     "), but %s tests feature %" PRIu32 ". Absent features are taken as %s",
                     files->data, last, first, files->model, tested - 1 + first, absent);
}

/* Reports how columns were matched with features, because scores do not reveal a wrong match. */
static void tell_columns(const struct input_files *files, const struct inputs *inputs) {
    const struct matrix *documents = inputs->documents;
    char left_out[32] = "";
    if (documents->n_left_out)
        snprintf(left_out, sizeof left_out, ", %" PRIu32 " left out", documents->n_left_out);
    if (documents->columns == COLUMNS_BY_NAME)
        command_note("%s: columns are matched by name with the features of %s%s", files->data,
                     files->model, left_out);
    else if (documents->columns == COLUMNS_NAMED_ELSE)
        command_note("%s: columns are taken by position, because none has the name of a feature of "
                     "%s ('%.40s', ...)",
                     files->data, files->model, inputs->ensemble->feature_names);
    else if (documents->columns == COLUMNS_BY_POSITION && documents->column_names)
        command_note("%s: columns are taken by position, because %s has no feature names",
                     files->data, files->model);
}

/* Requires --missing if documents omit features and the model's library treats these as missing,
 * not as zero. The choice changes the scores. */
static enum status check_absent(const struct input_files *files, const struct inputs *inputs,
                                struct error *error) {
    const struct model_format *format = inputs->ensemble->format;
    if (!format || !format->absent_is_missing || !inputs->documents->any_absent || files->missing)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: some documents omit features, which XGBoost takes as missing. Add "
                     "--missing nan, or --missing zero if omitted features are zeros",
                     files->data);
}

/* Reports if features were guessed to be numbered from 0, because scores do not reveal a wrong
 * guess. */
static void tell_numbers(const struct input_files *files, const struct inputs *inputs) {
    if (inputs->documents->from_zero && !files->first_feature)
        command_note("%s: features are numbered from 0, as in the training data of %s "
                     "(--first-feature 1 overrides this)",
                     files->data, files->model);
}

void inputs_tell_words(const char *path, const struct matrix *documents) {
    if (documents->words[0])
        command_note("%s: the text in %s was replaced by the codes 0, 1, ... in sorted order. "
                     "Another file gets the same codes only if it has the same words",
                     path, documents->words);
}

/* Rejects caches and SVMlight text for models with categories, because the numbers in these files
 * are not the codes that the model gives to categories. */
static enum status check_categories(const struct input_files *files, const struct inputs *inputs,
                                    struct error *error) {
    const struct ensemble *model = inputs->ensemble;
    bool is_table = inputs->documents->columns != COLUMNS_NUMBERED && !inputs->from_cache;
    for (uint32_t f = 0; !is_table && model->categories && f < model->n_features; f++)
        if (categories_count(model->categories, f) > 0 || model->ctrs)
            return error_set(error, STATUS_INPUT,
                             "%s: contains numbers, but %s was trained on categories. Use "
                             "a table (CSV) that contains the categories themselves",
                             files->data, files->model);
    return STATUS_OK;
}

/* Rejects columns whose names differ from feature names only in case, because they were probably
 * meant to match. */
static enum status check_case(const struct input_files *files, const struct inputs *inputs,
                              struct error *error) {
    const struct matrix *documents = inputs->documents;
    const struct ensemble *model = inputs->ensemble;
    if (documents->columns != COLUMNS_NAMED_ELSE || !documents->column_names)
        return STATUS_OK;
    const char *column = documents->column_names, *feature = model->feature_names;
    const char *first = feature;
    for (uint32_t i = 0; i < documents->n_named; i++, column += strlen(column) + 1) {
        bool same = strcasecmp(column, first) == 0;
        if (i < ensemble_given_features(model)) {
            same |= strcasecmp(column, feature) == 0;
            feature += strlen(feature) + 1;
        }
        if (same)
            return error_set(error, STATUS_INPUT,
                             "%s: the name of column '%.100s' differs from a feature of %s only in "
                             "upper and lower case. Rename the column",
                             files->data, column, files->model);
    }
    return STATUS_OK;
}

/* Reports values that were changed during reading, because scores do not reveal the changes. */
static void tell_values(const struct input_files *files, const struct inputs *inputs) {
    const struct matrix *documents = inputs->documents;
    if (documents->n_unknown && inputs->ensemble->ctrs)
        command_note("%s: %zu values are categories that did not occur in training", files->data,
                     documents->n_unknown);
    else if (documents->n_unknown)
        command_note(
            "%s: %zu values are not categories that the model knows. They are taken as missing",
            files->data, documents->n_unknown);
    if (inputs->from_cache && inputs->ensemble->threshold_double)
        command_note("%s: a cache stores float32, but %s compares doubles. Values very close to a "
                     "threshold may score differently than from text",
                     files->data, files->model);
}

enum status inputs_check_match(const struct input_files *files, const struct inputs *inputs,
                               struct error *error) {
    enum status status = check_width(files, inputs, error);
    if (!status)
        status = check_absent(files, inputs, error);
    if (!status)
        status = check_categories(files, inputs, error);
    return status ? status : check_case(files, inputs, error);
}

static enum status match(const struct input_files *files, const struct inputs *inputs,
                         struct error *error) {
    if (files->use != INPUTS_SHOWN) {
        enum status status = inputs_check_match(files, inputs, error);
        if (status)
            return status;
        tell_width(files, inputs);
        tell_values(files, inputs);
    }
    tell_numbers(files, inputs);
    tell_columns(files, inputs);
    return STATUS_OK;
}

/* Reads documents for the model. Matches columns with the model's features, replaces text by the
 * model's codes, and adjusts values near its thresholds. */
static enum status read_for_model(const struct input_files *files, struct data_reading *reading,
                                  struct inputs *inputs, struct error *error) {
    struct ensemble *model = inputs->ensemble;
    struct placing *placing = NULL;
    enum status status = STATUS_OK;
    if (model) {
        const struct model_format *format = model->format;
        reading->n_features = model->n_features;
        reading->feature_names = model->feature_names;
        reading->categories = model->categories;
        reading->ctrs = model->ctrs;
        reading->first_is_empty = model->first_is_empty;
        reading->from_either = !files->first_feature &&
                               (model->first_is_empty || (format && format->numbers_as_written));
        struct error reason;
        if (files->use != INPUTS_SHOWN)
            status = placing_create(model, &placing, &reason);
        if (status)
            return error_set(error, status, "%s: %.900s", files->model, reason.text);
    }
    reading->placing = placing;
    status = read_documents(files->data, reading, &inputs->documents, error);
    inputs->from_cache = !status && !inputs->documents->is_placed;
    if (!status)
        status = matrix_place_coded(inputs->documents, placing, error);
    inputs->n_coded = placing_count_coded(placing);
    placing_free(placing);
    return status;
}

/* --- probabilities of branches ---------------------------------------------------------------- */

/* Counts the documents of --profile. The model is read again, because reading documents for a model
 * may change it (models/placing.h). */
static enum status count_profile(const struct input_files *files, struct inputs *inputs,
                                 struct error *error) {
    struct input_files of_profile = *files;
    struct data_reading reading;
    struct inputs counted = {0};
    of_profile.data = files->profile;
    of_profile.queries = NULL;
    of_profile.use = INPUTS_SCORED;
    enum status status = parse(&of_profile, &reading, error);
    if (!status)
        status = read_model(files->model, &counted.ensemble, error);
    if (!status)
        status = keep_trees(files, counted.ensemble, error);
    if (!status)
        status = read_for_model(&of_profile, &reading, &counted, error);
    if (!status)
        status = match(&of_profile, &counted, error);
    if (!status)
        status = profile_count(counted.ensemble, counted.documents->values,
                               counted.documents->stride, counted.documents->n_rows, error);
    if (!status)
        profile_take(inputs->ensemble, counted.ensemble);
    inputs_free(&counted);
    return status;
}

enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error) {
    struct data_reading reading;
    *inputs = (struct inputs){0};
    enum status status = parse(files, &reading, error);
    uint64_t begun = timer_wall_ns();
    if (!status && files->model)
        status = read_model(files->model, &inputs->ensemble, error);
    inputs->load_ns = (double)(timer_wall_ns() - begun);
    if (!status)
        status = keep_trees(files, inputs->ensemble, error);
    if (!status && files->model && files->use != INPUTS_SHOWN) {
        inputs_tell_trees(files->model, inputs->ensemble);
        tell_average(files->model, inputs->ensemble);
    }
    if (!status && files->profile)
        status = count_profile(files, inputs, error);
    if (!status && files->data)
        status = read_for_model(files, &reading, inputs, error);
    if (!status && files->model && files->data)
        status = match(files, inputs, error);
    if (status)
        inputs_free(inputs);
    return status;
}

void inputs_free(struct inputs *inputs) {
    ensemble_free(inputs->ensemble);
    matrix_free(inputs->documents);
    *inputs = (struct inputs){0};
}
