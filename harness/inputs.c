#include "harness/inputs.h"

#include "base/file.h"
#include "harness/command.h"
#include "models/categories.h"
#include "models/format.h"
#include "models/placing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- options ---------------------------------------------------------------------------------- */

static enum status parse_missing(const char *text, float *missing, struct error *error) {
    *missing = 0;
    if (!text || strcmp(text, "zero") == 0)
        return STATUS_OK;
    if (strcmp(text, "nan") != 0)
        return error_set(error, STATUS_INPUT, "--missing: '%s' is neither zero nor nan", text);
    *missing = NAN;
    return STATUS_OK;
}

enum status inputs_parse_first_feature(const char *text, bool *from_zero, struct error *error) {
    *from_zero = text && strcmp(text, "0") == 0;
    if (!text || *from_zero || strcmp(text, "1") == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "--first-feature: '%s' is neither 0 nor 1", text);
}

/* Options about a file that is not given. */
static enum status check_useless(const struct input_files *files, struct error *error) {
    const struct {
        const char *flag, *text, *file, *needs;
    } options[] = {{"missing", files->missing, files->data, "data"},
                   {"first-feature", files->first_feature, files->data, "data"},
                   {"label", files->label, files->data, "data"},
                   {"queries", files->queries, files->data, "data"},
                   {"trees", files->trees, files->model, "model"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].text && !options[i].file)
            return error_set(error, STATUS_INPUT, "--%s means nothing without --%s FILE",
                             options[i].flag, options[i].needs);
    return STATUS_OK;
}

static enum status parse(const struct input_files *files, struct data_reading *reading,
                         struct error *error) {
    static const enum data_words words[] = {[INPUTS_SCORED] = WORDS_LABELS_ONLY,
                                            [INPUTS_JUDGED] = WORDS_REFUSED,
                                            [INPUTS_SHOWN] = WORDS_CODED};
    *reading = (struct data_reading){.label = files->label,
                                     .queries = files->queries,
                                     .words = words[files->use],
                                     .missing_given = files->missing,
                                     .first_feature_given = files->first_feature};
    enum status status = check_useless(files, error);
    if (!status)
        status = parse_missing(files->missing, &reading->missing, error);
    if (!status)
        status = inputs_parse_first_feature(files->first_feature, &reading->from_zero, error);
    if (!status && files->model && files->data && strcmp(files->model, "-") == 0 &&
        strcmp(files->data, "-") == 0)
        status = error_set(error, STATUS_INPUT, "--model and --data cannot both be standard input");
    return status;
}

/* --- files that are refused ------------------------------------------------------------------- */

/* A model where documents should be, or the other way round, is often a slip of the options. */
static enum status refuse(const char *path, bool as_model, enum status status,
                          struct error *error) {
    struct file_text text;
    const struct error reason = *error;
    if (strcmp(path, "-") == 0 || file_read(path, &text, NULL) != STATUS_OK)
        return status;
    const struct model_format *model = model_recognise(text.data, text.size);
    const struct data_format *data = data_recognise(text.data, text.size);
    if (as_model && text.size && !model && data)
        error_set(error, status, "%.800s; it looks like documents (%s): should be --data's?",
                  reason.text, data->title);
    else if (!as_model && model)
        error_set(error, status, "%.800s; it looks like a model (%s): should be --model's?",
                  reason.text, model->title);
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
        return error_set(error, STATUS_INPUT, "%s: no documents in it", path);
    return status;
}

/* --- which trees ------------------------------------------------------------------------------ */

static enum status keep_trees(const struct input_files *files, struct ensemble *ensemble,
                              struct error *error) {
    if (!files->trees)
        return STATUS_OK;
    if (strcmp(files->trees, "best") != 0)
        return error_set(error, STATUS_INPUT, "--trees: '%s' is not best", files->trees);
    if (!ensemble)
        return error_set(error, STATUS_INPUT, "--trees needs --model");
    if (!ensemble->best_trees)
        return error_set(error, STATUS_INPUT,
                         "%s: it has no best iteration, which --trees best asks for: leave --trees "
                         "out",
                         files->model);
    ensemble_keep_first(ensemble, ensemble->best_trees);
    return STATUS_OK;
}

void inputs_tell_trees(const char *path, const struct ensemble *ensemble) {
    if (ensemble->best_trees && ensemble->best_trees < ensemble->n_trees)
        command_note("%s: early stopping found the best iteration at tree %" PRIu32 " of %" PRIu32
                     ", and XGBoost's scikit-learn wrapper stops there; all trees are used "
                     "(--trees best stops there too)",
                     path, ensemble->best_trees, ensemble->n_trees);
}

/* LightGBM prints the sum as a raw score, and the average as a prediction. */
static void tell_average(const char *path, const struct ensemble *ensemble) {
    if (ensemble->averaged > 1)
        command_note("%s: a random forest: scores are averages over %" PRIu32
                     " iterations, LightGBM's raw scores are sums",
                     path, ensemble->averaged);
}

/* --- do they belong together? ----------------------------------------------------------------- */

/* One more than the largest feature that a node tests. */
static uint32_t tested_features(const struct ensemble *ensemble) {
    uint32_t tested = 0;
    for (size_t i = 0; i < ensemble->n_nodes; i++)
        tested = ensemble->feature[i] >= tested ? ensemble->feature[i] + 1 : tested;
    return tested;
}

/* Columns by position mean something only where there are as many as features; a model of a format
 * that does not say how many it has may have some that it does not test. */
static enum status check_width(const struct input_files *files, const struct inputs *inputs,
                               struct error *error) {
    const struct matrix *documents = inputs->documents;
    const struct ensemble *model = inputs->ensemble;
    if (documents->columns == COLUMNS_NUMBERED || documents->columns == COLUMNS_BY_NAME ||
        documents->n_named == model->n_features ||
        (model->open_width && documents->n_named > model->n_features))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: %" PRIu32 " columns of features, and %s has %s%" PRIu32
                     " features; should be as many%s (--label names the labels' column; cut -d, -f "
                     "leaves others out)",
                     files->data, documents->n_named, files->model,
                     model->open_width ? "at least " : "", model->n_features,
                     model->feature_names ? ", or have the features' names" : "");
}

/* Scores of documents that lack what the model tests, or have what it does not know, are rarely
 * what was wanted. */
static void tell_width(const struct input_files *files, const struct inputs *inputs) {
    uint32_t named = inputs->documents->n_named, tested = tested_features(inputs->ensemble);
    uint32_t width = inputs->ensemble->n_features;
    if (inputs->documents->columns == COLUMNS_NUMBERED && !inputs->ensemble->open_width &&
        named > width)
        command_note("%s: names features up to %" PRIu32 ", %s has %" PRIu32
                     ": the rest are not looked at (--first-feature says whether their numbers "
                     "begin with 0 or 1)",
                     files->data, named, files->model, width);
    if (named < tested)
        command_note("%s: names features up to %" PRIu32 ", %s tests up to %" PRIu32
                     ": the rest are taken as %s",
                     files->data, named, files->model, tested,
                     files->missing && strcmp(files->missing, "nan") == 0 ? "NaN" : "0");
}

/* Which column is which feature can be mistaken, and scores would not tell. */
static void tell_columns(const struct input_files *files, const struct inputs *inputs) {
    const struct matrix *documents = inputs->documents;
    char left_out[32] = "";
    if (documents->n_left_out)
        snprintf(left_out, sizeof left_out, ", %" PRIu32 " left out", documents->n_left_out);
    if (documents->columns == COLUMNS_BY_NAME)
        command_note("%s: columns are taken by the names of %s's features%s", files->data,
                     files->model, left_out);
    else if (documents->columns == COLUMNS_NAMED_ELSE)
        command_note("%s: columns are taken by position: none is named as a feature of %s "
                     "('%.40s', ...)",
                     files->data, files->model, inputs->ensemble->feature_names);
    else if (documents->columns == COLUMNS_BY_POSITION && documents->column_names)
        command_note("%s: columns are taken by position: %s has no names of features", files->data,
                     files->model);
}

/* To some libraries an absent feature is no zero, and scores depend on it. */
static enum status check_absent(const struct input_files *files, const struct inputs *inputs,
                                struct error *error) {
    const struct model_format *format = inputs->ensemble->format;
    if (!format || !format->absent_is_missing || !inputs->documents->any_absent || files->missing)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: some documents do not name all features. XGBoost takes those as missing: "
                     "add --missing nan, or --missing zero if they are zeros",
                     files->data);
}

/* Which number the first feature has was decided, and scores would not tell. */
static void tell_numbers(const struct input_files *files, const struct inputs *inputs) {
    if (inputs->documents->from_zero && !files->first_feature)
        command_note("%s: features are numbered from 0, as in the training data of %s "
                     "(--first-feature 1 says otherwise)",
                     files->data, files->model);
}

void inputs_tell_words(const char *path, const struct matrix *documents) {
    if (documents->words[0])
        command_note("%s: words of %s are coded 0, 1, ... in sorted order; another file agrees "
                     "where it has the same words",
                     path, documents->words);
}

/* Words became numbers in another order than the model's, or were never there. */
static enum status check_categories(const struct input_files *files, const struct inputs *inputs,
                                    struct error *error) {
    const struct ensemble *model = inputs->ensemble;
    bool is_table = inputs->documents->columns != COLUMNS_NUMBERED && !inputs->from_cache;
    for (uint32_t f = 0; !is_table && model->categories && f < model->n_features; f++)
        if (categories_count(model->categories, f) > 0)
            return error_set(
                error, STATUS_INPUT,
                "%s: holds numbers, but %s lists the categories of its features: score "
                "the table with the categories themselves (CSV)",
                files->data, files->model);
    return STATUS_OK;
}

/* Columns by position under names that differ in case only were meant by name. */
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
        if (i < model->n_features) {
            same |= strcasecmp(column, feature) == 0;
            feature += strlen(feature) + 1;
        }
        if (same)
            return error_set(
                error, STATUS_INPUT,
                "%s: the column '%.100s' differs from a feature of %s in case only: write "
                "the names as the model has them",
                files->data, column, files->model);
    }
    return STATUS_OK;
}

/* What reading made of values, where scores would not tell. */
static void tell_values(const struct input_files *files, const struct inputs *inputs) {
    const struct matrix *documents = inputs->documents;
    if (documents->n_unknown)
        command_note("%s: values that are not among the model's categories, taken as missing: %zu",
                     files->data, documents->n_unknown);
    if (inputs->from_cache && inputs->ensemble->threshold_double)
        command_note("%s: a cache holds float32, and %s compares doubles: decimals next to a "
                     "threshold score as their maker does only from text",
                     files->data, files->model);
}

static enum status match(const struct input_files *files, const struct inputs *inputs,
                         struct error *error) {
    if (files->use != INPUTS_SHOWN) {
        enum status status = check_width(files, inputs, error);
        if (status)
            return status;
        if ((status = check_absent(files, inputs, error)) ||
            (status = check_categories(files, inputs, error)) ||
            (status = check_case(files, inputs, error)))
            return status;
        tell_width(files, inputs);
        tell_numbers(files, inputs);
        tell_values(files, inputs);
    }
    tell_columns(files, inputs);
    return STATUS_OK;
}

/* The model says what the documents are: how wide, their names and categories, and where its
 * thresholds are. */
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
        reading->first_is_empty = model->first_is_empty;
        reading->from_either = !files->first_feature && files->use != INPUTS_SHOWN &&
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

enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error) {
    struct data_reading reading;
    *inputs = (struct inputs){0};
    enum status status = parse(files, &reading, error);
    if (!status && files->model)
        status = read_model(files->model, &inputs->ensemble, error);
    if (!status)
        status = keep_trees(files, inputs->ensemble, error);
    if (!status && files->model && files->use != INPUTS_SHOWN) {
        inputs_tell_trees(files->model, inputs->ensemble);
        tell_average(files->model, inputs->ensemble);
    }
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
