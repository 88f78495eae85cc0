/* LambdaMART through XGBoost's C API. The model is returned as JSON and read by treebench's own
 * reader. */
#include "models/formats.h"
#include "models/learn/learner.h"
#include "models/xgboost/xgboost_library.h"

#include "base/files/file.h"
#include "base/number.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xgboost/c_api.h>

enum { MAX_LABEL = 31 }; /* gains are 2^label - 1 in 32 bits */
enum { KEEP_SECONDS = 60 };

/* What training needs of the library. */
static struct {
    __typeof__(XGBGetLastError) *last_error;
    __typeof__(XGDMatrixCreateFromDense) *create_matrix;
    __typeof__(XGDMatrixFree) *free_matrix;
    __typeof__(XGDMatrixSetFloatInfo) *set_floats;
    __typeof__(XGDMatrixSetUIntInfo) *set_uints;
    __typeof__(XGBoosterCreate) *create;
    __typeof__(XGBoosterFree) *free;
    __typeof__(XGBoosterSetParam) *set_param;
    __typeof__(XGBoosterUpdateOneIter) *update;
    __typeof__(XGBoosterEvalOneIter) *evaluate;
    __typeof__(XGBoosterSlice) *slice;
    __typeof__(XGBoosterSaveModelToBuffer) *save;
    __typeof__(XGBoosterLoadModelFromBuffer) *load;
    __typeof__(XGBoosterBoostedRounds) *rounds;
    __typeof__(XGBoosterSetAttr) *set_note;
    __typeof__(XGBoosterGetAttr) *get_note;
} api;
static const struct loader_symbol functions[] = {
    {"XGBGetLastError", (void **)&api.last_error},
    {"XGDMatrixCreateFromDense", (void **)&api.create_matrix},
    {"XGDMatrixFree", (void **)&api.free_matrix},
    {"XGDMatrixSetFloatInfo", (void **)&api.set_floats},
    {"XGDMatrixSetUIntInfo", (void **)&api.set_uints},
    {"XGBoosterCreate", (void **)&api.create},
    {"XGBoosterFree", (void **)&api.free},
    {"XGBoosterSetParam", (void **)&api.set_param},
    {"XGBoosterUpdateOneIter", (void **)&api.update},
    {"XGBoosterEvalOneIter", (void **)&api.evaluate},
    {"XGBoosterSlice", (void **)&api.slice},
    {"XGBoosterSaveModelToBuffer", (void **)&api.save},
    {"XGBoosterLoadModelFromBuffer", (void **)&api.load},
    {"XGBoosterBoostedRounds", (void **)&api.rounds},
    {"XGBoosterSetAttr", (void **)&api.set_note},
    {"XGBoosterGetAttr", (void **)&api.get_note},
    {0}};

/* The error is XGBoost's message without its stack trace. */
static enum status xgboost_check(int result, struct error *error) {
    return result ? error_library(error, "XGBoost", api.last_error()) : STATUS_OK;
}

/* XGBoost's objects; NULL if not created yet. */
struct session {
    DMatrixHandle train, validation;
    BoosterHandle booster;
    uint32_t n_kept; /* trees that an earlier call grew */
};

static void close_session(struct session *session) {
    if (session->booster)
        api.free(session->booster);
    if (session->train)
        api.free_matrix(session->train);
    if (session->validation)
        api.free_matrix(session->validation);
}

/* --- documents -------------------------------------------------------------------------------- */

static enum status check_data(const struct learner_data *data, struct error *error) {
    if (!data->query_row || data->n_queries == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: the documents have no queries, which LambdaMART needs. Add qid:N to "
                         "SVMlight text or a column qid to a table, or give --queries FILE",
                         data->name);
    if (!data->labels)
        return error_set(error, STATUS_INPUT,
                         "%s: the documents have no labels, which LambdaMART needs. If a column of "
                         "the table holds them, name it with --label",
                         data->name);
    for (size_t row = 0; row < data->n_rows; row++) {
        float label = data->labels[row];
        if (!(label >= 0 && label <= MAX_LABEL && label == floorf(label)))
            return error_set(error, STATUS_INPUT,
                             "%s: document %zu (counted from 0): label %g is not supported; "
                             "LambdaMART needs integers from 0 to %d",
                             data->name, row, (double)label, MAX_LABEL);
        for (uint32_t f = 0; f < data->n_features; f++)
            if (isinf(data->values[row * data->stride + f]))
                return error_set(error, STATUS_INPUT,
                                 "%s: document %zu, feature %u (both counted from 0): the value is "
                                 "infinite; XGBoost needs finite values",
                                 data->name, row, f);
    }
    return STATUS_OK;
}

static enum status set_groups(const struct learner_data *data, DMatrixHandle matrix,
                              struct error *error) {
    unsigned *sizes = malloc(data->n_queries * sizeof *sizes);
    if (!sizes)
        return error_memory(error, "the sizes of queries");
    for (size_t q = 0; q < data->n_queries; q++)
        sizes[q] = (unsigned)(data->query_row[q + 1] - data->query_row[q]);
    enum status status =
        xgboost_check(api.set_uints(matrix, "group", sizes, data->n_queries), error);
    free(sizes);
    return status;
}

static enum status make_matrix(const struct learner_data *data, uint32_t n_threads,
                               DMatrixHandle *matrix, struct error *error) {
    enum status status = check_data(data, error);
    if (status)
        return status;
    if (data->n_rows > UINT32_MAX)
        return error_set(error, STATUS_MEMORY,
                         "%s: %zu documents exceed the limit of 4294967295 for training",
                         data->name, data->n_rows);
    /* NumPy's __array_interface__ allows padding between rows. */
    char array[256], config[64];
    snprintf(array, sizeof array,
             "{\"data\":[%" PRIuPTR ",true],\"shape\":[%zu,%u],\"strides\":[%zu,%zu],"
             "\"typestr\":\"<f4\",\"version\":3}",
             (uintptr_t)data->values, data->n_rows, data->n_features,
             data->stride * sizeof *data->values, sizeof *data->values);
    snprintf(config, sizeof config, "{\"missing\":NaN,\"nthread\":%u}", n_threads);
    status = xgboost_check(api.create_matrix(array, config, matrix), error);
    if (!status)
        status = xgboost_check(api.set_floats(*matrix, "label", data->labels, data->n_rows), error);
    return status ? status : set_groups(data, *matrix, error);
}

/* What XGBoost 1.7 keeps. Documents with fewer values or bins take less. */
uint64_t lambdamart_memory(const struct learner_data *train, const struct learner_data *validation,
                           const struct lambdamart_options *options) {
    enum { PROGRAM = 64 << 20, DOCUMENT = 100, VALUE = 8, BINS = 256, BIN = 16 };
    uint64_t rows = train->n_rows, features = train->n_features;
    uint64_t all_rows = rows + (validation ? validation->n_rows : 0);
    uint64_t nodes = 2 * (options->max_leaves < rows ? options->max_leaves : rows);
    return PROGRAM + all_rows * (DOCUMENT + VALUE * features) + 2 * rows * features +
           nodes * features * BINS * BIN;
}

/* --- trees of an earlier call ----------------------------------------------------------------- */

static const char made_from[] = "made_from"; /* the attribute of kept trees that names its origin */

/* Describes what trees depend on, except their number and the threads. */
static void describe_origin(const struct learner_data *train,
                            const struct lambdamart_options *options, char text[160]) {
    snprintf(text, 160,
             "%zu documents of %u features, %u leaves, rate %.9g, share %.9g, %u pairs, "
             "seed %" PRIu64,
             train->n_rows, train->n_features, options->max_leaves, options->learning_rate,
             options->share, options->n_pairs, options->seed);
}

static enum status keep_trees(const struct session *session, const char *path,
                              struct error *error) {
    const char *bytes;
    bst_ulong size;
    struct file_writer writer;
    enum status status =
        xgboost_check(api.save(session->booster, "{\"format\":\"ubj\"}", &size, &bytes), error);
    if (!status)
        status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    fwrite(bytes, 1, size, writer.stream); /* the commit reports errors */
    return file_write_commit(&writer, error);
}

/* Loads the trees of the file, if it is there, or else names the origin of those to come. */
static enum status take_kept(struct session *session, const struct learner_data *train,
                             const struct lambdamart_options *options, struct error *error) {
    char origin[160];
    const char *found = NULL;
    struct file_text text;
    int is_there = 0, rounds = 0;
    describe_origin(train, options, origin);
    if (access(options->keep, F_OK) != 0)
        return xgboost_check(api.set_note(session->booster, made_from, origin), error);
    enum status status = file_read_kept(options->keep, &text, error);
    if (status)
        return status;
    if (api.load(session->booster, text.data, text.size))
        status = error_set(error, STATUS_INPUT,
                           "%s: XGBoost cannot read the kept trees. Keep them in another file",
                           options->keep);
    file_text_free(&text);
    if (!status)
        status = xgboost_check(api.get_note(session->booster, made_from, &found, &is_there), error);
    if (!status && (!is_there || strcmp(found, origin) != 0))
        status = error_set(error, STATUS_INPUT,
                           "%s: has trees of %s, not of %s. Remove it, or keep trees elsewhere",
                           options->keep, is_there ? found : "unknown origin", origin);
    if (!status)
        status = xgboost_check(api.rounds(session->booster, &rounds), error);
    session->n_kept = (uint32_t)rounds;
    return status;
}

/* --- boosting --------------------------------------------------------------------------------- */

static enum status set_parameters(BoosterHandle booster, const struct lambdamart_options *options,
                                  struct error *error) {
    char max_leaves[16], pairs[16], seed[24], n_threads[16], rate[32], share[32];
    snprintf(rate, sizeof rate, "%.9g", options->learning_rate);
    snprintf(share, sizeof share, "%.9g", options->share);
    snprintf(max_leaves, sizeof max_leaves, "%u", options->max_leaves);
    snprintf(pairs, sizeof pairs, "%u", options->n_pairs);
    snprintf(seed, sizeof seed, "%" PRIu64, options->seed);
    snprintf(n_threads, sizeof n_threads, "%u", options->n_threads);
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"booster", "gbtree"},       {"objective", "rank:ndcg"},   {"eval_metric", "ndcg@10-"},
        {"tree_method", "hist"},     {"grow_policy", "lossguide"}, {"max_depth", "0"},
        {"max_leaves", max_leaves},  {"learning_rate", rate},      {"subsample", share},
        {"colsample_bytree", share}, {"base_score", "0"},          {"seed", seed},
        {"min_child_weight", "0"},   {"num_pairsample", pairs},    {"nthread", n_threads},
        {"verbosity", "0"},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < sizeof parameters / sizeof *parameters; i++)
        status =
            xgboost_check(api.set_param(booster, parameters[i].name, parameters[i].value), error);
    return status;
}

/* Parses the number after the last colon of "[12]\tvalidation-ndcg@10-:0.5123". */
static enum status parse_evaluation(const char *text, double *value, struct error *error) {
    const char *colon = strrchr(text, ':');
    if (!colon || !number_parse_double(colon + 1, text + strlen(text), value) || !isfinite(*value))
        return error_set(error, STATUS_UNSUPPORTED,
                         "XGBoost: '%s' does not end with a validation NDCG", text);
    return STATUS_OK;
}

static enum status evaluate(const struct session *session, uint32_t round, double *ndcg,
                            struct error *error) {
    DMatrixHandle matrices[] = {session->validation};
    const char *names[] = {"validation"}, *text = NULL;
    enum status status =
        xgboost_check(api.evaluate(session->booster, (int)round, matrices, names, 1, &text), error);
    return status ? status : parse_evaluation(text, ndcg, error);
}

/* Grows trees. *n_best is set to the number of trees to keep. */
static enum status boost(const struct session *session, const struct lambdamart_options *options,
                         struct lambdamart_result *result, uint32_t *n_best, struct error *error) {
    double best = -1;
    time_t kept = time(NULL);
    result->n_grown = session->n_kept;
    *n_best = session->n_kept < options->n_trees ? session->n_kept : options->n_trees;
    for (uint32_t i = 0; options->progress.tell && i < *n_best; i++)
        options->progress.tell(options->progress.context, true);
    for (uint32_t round = session->n_kept; round < options->n_trees; round++) {
        enum status status =
            xgboost_check(api.update(session->booster, (int)round, session->train), error);
        if (status)
            return status;
        result->n_grown = round + 1;
        if (options->progress.tell)
            options->progress.tell(options->progress.context, false);
        if (options->keep && (round + 1 == options->n_trees || time(NULL) - kept >= KEEP_SECONDS)) {
            if ((status = keep_trees(session, options->keep, error)))
                return status;
            kept = time(NULL);
        }
        if (!session->validation) {
            *n_best = round + 1;
            continue;
        }
        double ndcg;
        if ((status = evaluate(session, round, &ndcg, error)))
            return status;
        if (ndcg > best) {
            best = ndcg;
            *n_best = round + 1;
        }
        if (round + 1 - *n_best >= options->patience)
            break;
    }
    result->validation_ndcg = session->validation ? best : (double)NAN;
    return STATUS_OK;
}

/* Returns the first n_trees trees as an ensemble. */
static enum status take_trees(BoosterHandle booster, uint32_t n_trees, struct ensemble **ensemble,
                              struct error *error) {
    BoosterHandle cut = NULL;
    const char *text = NULL;
    bst_ulong size = 0;
    enum status status = xgboost_check(api.slice(booster, 0, (int)n_trees, 1, &cut), error);
    if (!status)
        status = xgboost_check(api.save(cut, "{\"format\":\"json\"}", &size, &text), error);
    if (!status)
        status = model_format_xgboost.read("XGBoost's model", text, size, ensemble, error);
    if (cut)
        api.free(cut);
    return status;
}

static enum status open_session(const struct learner_data *train,
                                const struct learner_data *validation,
                                const struct lambdamart_options *options, struct session *session,
                                struct error *error) {
    enum status status = make_matrix(train, options->n_threads, &session->train, error);
    if (!status && validation)
        status = make_matrix(validation, options->n_threads, &session->validation, error);
    if (status)
        return status;
    DMatrixHandle matrices[] = {session->train, session->validation};
    status = xgboost_check(api.create(matrices, validation ? 2 : 1, &session->booster), error);
    if (!status && options->keep)
        status = take_kept(session, train, options, error);
    return status ? status : set_parameters(session->booster, options, error);
}

static enum status check_options(const struct learner_data *train,
                                 const struct learner_data *validation,
                                 const struct lambdamart_options *options, struct error *error) {
    if (options->n_trees == 0 || options->n_trees > INT_MAX || options->max_leaves < 2 ||
        options->max_leaves > INT_MAX || options->patience == 0 || options->n_pairs == 0 ||
        options->n_pairs > INT_MAX || options->n_threads == 0 || options->n_threads > INT_MAX ||
        options->seed > INT64_MAX)
        return error_set(error, STATUS_INPUT,
                         "LambdaMART needs at least 1 tree, 2 leaves, 1 pair, a patience of 1 "
                         "and 1 thread; the largest value of each is 2^31 - 1");
    if (!(options->learning_rate > 0 && options->learning_rate <= 1) ||
        !(options->share > 0 && options->share <= 1))
        return error_set(error, STATUS_INPUT,
                         "LambdaMART needs a learning rate and a share above 0 and at most 1");
    if (validation && options->keep)
        return error_set(error, STATUS_INPUT,
                         "%s: trees are kept only without validation documents. Leave one out",
                         options->keep);
    if (validation && validation->n_features != train->n_features)
        return error_set(error, STATUS_INPUT,
                         "%s: the number of features is %u, expected %u as in %s", validation->name,
                         validation->n_features, train->n_features, train->name);
    return STATUS_OK;
}

enum status learn_lambdamart(const struct learner_data *train,
                             const struct learner_data *validation,
                             const struct lambdamart_options *options,
                             struct lambdamart_result *result, struct error *error) {
    struct session session = {0};
    uint32_t n_best = 0;
    *result = (struct lambdamart_result){0};
    enum status status = check_options(train, validation, options, error);
    if (!status)
        status = loader_load(&xgboost_library, functions, NULL, error);
    if (!status)
        status = open_session(train, validation, options, &session, error);
    if (!status)
        status = boost(&session, options, result, &n_best, error);
    if (!status)
        status = take_trees(session.booster, n_best, &result->ensemble, error);
    close_session(&session);
    return status;
}
