/* Reads CatBoost's JSON:
 *
 *     {"features_info": {"float_features": [
 *         {"feature_index": 0, "flat_feature_index": 2, "borders": [0.5, 1.5], "has_nans": true,
 *          "nan_value_treatment": "AsTrue"}, ...]},
 *      "oblivious_trees": [
 *         {"splits": [{"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5,
 *                      "split_index": 0}, ...],
 *          "leaf_values": [...]}, ...],
 *      "scale_and_bias": [1, [0.25]]}
 *
 * Trees that are not symmetric are in "trees" instead (catboost_json_trees.c). CatBoost finds
 * splits by split_index, the number of a bin; here border and split_index must agree. Trees and
 * CTRs (catboost_json_ctrs.c) depend on members that may come after them, so they are skipped first
 * and read at the end. */
#include "models/catboost/catboost_json.h"

#include <stdlib.h>
#include <string.h>

#define AT CATBOOST_AT

/* --- features --------------------------------------------------------------------------------- */

#define COLUMN                                                                                     \
    JSON_REQUIRED(U32, "flat_feature_index", AT(feature.column), .high = ENSEMBLE_MAX_FEATURES - 1)
/* Reads the rest of a feature. A name with escapes is treated as missing. */
static enum status read_feature(struct catboost_json *r, const struct json_member *members) {
    memset(&r->feature, 0, sizeof r->feature);
    r->borders.count = r->hashes.count = 0;
    enum status status = json_read_members(&r->json, "", members, r);
    if (status)
        return status;
    const struct json_token *name = &r->feature.name;
    size_t size = name->size && !memchr(name->text, '\\', name->size) ? name->size : 0;
    catboost_add_column(&r->model, r->feature.column);
    return catboost_add_name(&r->model, r->feature.column, name->text, size,
                             (size_t)(r->json.stream.end - r->json.stream.begin))
               ? STATUS_OK
               : error_memory(r->json.error, "the names of features");
}

enum status catboost_json_place(const struct catboost_json *r, const char *key,
                                enum status status) {
    return json_locate(&r->json, status, key, &r->model.inner);
}

enum status catboost_json_borders(struct catboost_json *r, struct catboost_borders *list) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < r->borders.count && !status; i++)
        status = catboost_add_border(&r->model, list, r->borders.real[i]);
    return catboost_json_place(r, "", status);
}

static enum status read_float_feature(void *data) {
    enum { AS_TRUE = 2 };
    static const char *const treatments[] = {"AsIs", "AsFalse", [AS_TRUE] = "AsTrue", NULL};
    static const struct json_member members[] = {
        JSON_REQUIRED(U32, "feature_index", AT(feature.index), .high = ENSEMBLE_MAX_FEATURES - 1),
        COLUMN,
        JSON_REQUIRED(FLOATS, "borders", AT(borders), .or_null = true),
        JSON_REQUIRED(BOOL, "has_nans", AT(feature.has_nans)),
        JSON_REQUIRED(WORD, "nan_value_treatment", AT(feature.treatment), .words = treatments),
        JSON_OPTIONAL(TEXT, "feature_id", AT(feature.name)),
        JSON_SKIP_OTHERS};
    struct catboost_json *r = data;
    r->json.part = (struct json_part){"float feature", r->model.floats.n_features};
    enum status status = read_feature(r, members);
    if (status)
        return status;
    const struct catboost_feature feature = {.index = r->feature.index,
                                             .column = r->feature.column,
                                             .nan_holds = r->feature.has_nans &&
                                                          r->feature.treatment == AS_TRUE};
    status = catboost_begin_feature(&r->model, &r->model.floats, feature);
    if ((status = catboost_json_place(r, "", status)) ||
        (status = catboost_json_borders(r, &r->model.floats)))
        return status;
    status = catboost_json_place(r, "", catboost_end_feature(&r->model));
    r->json.part.what = NULL;
    return status;
}

static enum status add_category(struct catboost_json *r) {
    enum status status = catboost_begin_category(&r->model, r->feature.index, r->feature.column);
    for (size_t i = 0; i < r->hashes.count && !status; i++)
        status = catboost_add_hash(&r->model, (int32_t)r->hashes.integer[i]);
    if (status)
        return catboost_json_place(r, "values: ", status);
    return catboost_json_place(r, "categorical_features: ", catboost_end_category(&r->model));
}

/* Features that no tree tests still have a column. */
static enum status read_categorical_feature(void *data) {
    static const struct json_member members[] = {
        JSON_OPTIONAL(U32, "feature_index", AT(feature.index),
                      .has = offsetof(struct catboost_json, feature.has_index),
                      .high = ENSEMBLE_MAX_FEATURES - 1),
        COLUMN,
        JSON_OPTIONAL(INTEGERS, "values", AT(hashes), .or_null = true, .low = INT32_MIN,
                      .high = INT32_MAX),
        JSON_OPTIONAL(TEXT, "feature_id", AT(feature.name)), JSON_SKIP_OTHERS};
    struct catboost_json *r = data;
    enum status status = read_feature(r, members);
    if (status)
        return status;
    if (r->feature.has_index)
        status = catboost_add_categorical(&r->model, r->feature.index, r->feature.column);
    if (status)
        return catboost_json_place(r, "categorical_features: ", status);
    return r->hashes.count ? add_category(r) : STATUS_OK;
}

static const struct json_member features_info[] = {
    JSON_OPTIONAL(OBJECTS, "float_features", .each = read_float_feature),
    JSON_OPTIONAL(OBJECTS, "categorical_features", .each = read_categorical_feature,
                  .or_null = true),
    JSON_OPTIONAL(LATER, "ctrs", AT(ctrs)), JSON_SKIP_OTHERS};

/* --- the model -------------------------------------------------------------------------------- */

static enum status wrong_bias(const struct catboost_json *r) {
    return json_wrong(&r->json, "scale_and_bias",
                      "[SCALE, BIAS] or [SCALE, [BIAS, ...]] with numbers");
}

static enum status to_bias(const struct catboost_json *r, const struct json_token *token,
                           double *value) {
    return json_token_double(token, value) ? STATUS_OK : wrong_bias(r);
}

static enum status add_bias(struct catboost_json *r, const struct json_token *token) {
    double bias;
    enum status status = to_bias(r, token, &bias);
    return status ? status : json_list_add(&r->json, &r->model.bias, &bias, sizeof bias);
}

/* The first versions of CatBoost write no bias. Later versions write one bias for all outputs. The
 * latest versions write one bias per output, or none. */
static enum status read_scale_and_bias(void *data, const struct json_member *member) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = json_begin(&r->json, member->name, JSON_ARRAY);
    if (!status && !(status = json_read_token(&r->json, &token)))
        status = to_bias(r, &token, &r->model.scale);
    if (status || (status = json_read_token(&r->json, &token)))
        return status;
    r->model.one_bias = token.kind == JSON_NUMBER;
    if (r->model.one_bias)
        status = add_bias(r, &token);
    else if (token.kind == JSON_ARRAY)
        while (json_read_item(&r->json, &token, &status))
            status = add_bias(r, &token);
    else if (token.kind != JSON_NULL)
        status = wrong_bias(r);
    if (!status && !(status = json_read_token(&r->json, &token)) && token.kind != JSON_ARRAY_END)
        status = wrong_bias(r);
    return status;
}

static const struct json_member members[] = {
    JSON_REQUIRED(OBJECT, "features_info", .members = features_info),
    JSON_OPTIONAL(LATER, "oblivious_trees", AT(oblivious)),
    JSON_OPTIONAL(READ, "scale_and_bias", .read = read_scale_and_bias),
    JSON_OPTIONAL(LATER, "trees", AT(trees)),
    JSON_OPTIONAL(LATER, "ctr_data", AT(ctr_tables)),
    JSON_SKIP_OTHERS};

static enum status read_model(struct catboost_json *r) {
    enum status status = json_read_root(&r->json, members, r);
    if (!status && !r->oblivious.at && !r->trees.at)
        status = json_fail(&r->json, "oblivious_trees: missing");
    if (!status && r->oblivious.at && r->trees.at)
        status = json_wrong(&r->json, "trees", "either oblivious_trees or trees, not both");
    if (!status && r->ctrs.at)
        status = catboost_json_ctrs(r);
    return status ? status : catboost_json_trees(r);
}

/* The reader is too large for a small stack. */
enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error) {
    struct catboost_json *r = calloc(1, sizeof *r);
    if (!r)
        return error_memory(error, "a model");
    r->model.scale = 1;
    r->model.builder = ensemble_builder_create();
    r->json.has_fractions = true;
    json_reader_open(&r->json, name, text, size, error);
    enum status status = catboost_finish(&r->model, read_model(r), name, ensemble, error);
    free(r->borders.values);
    free(r->hashes.values);
    free(r->leaves.values);
    free(r->tree.nodes);
    free(r->identifiers.values);
    free(r);
    return status;
}
