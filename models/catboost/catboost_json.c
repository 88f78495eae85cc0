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

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

enum status catboost_json_next(struct catboost_json *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

enum status catboost_json_wrong(const struct catboost_json *r, const char *key,
                                const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: expected %s", r->where, key, expected);
}

enum status catboost_json_place(const struct catboost_json *r, enum status status, const char *key,
                                const struct error *error) {
    if (status)
        json_stream_error(&r->stream, r->error, "%s%s%s", r->where, key, error->text);
    return status;
}

enum status catboost_json_u32(struct catboost_json *r, const char *key, uint32_t high,
                              uint32_t *value) {
    struct json_token token;
    double number;
    enum status status = catboost_json_next(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &number) || !(number >= 0 && number <= high) ||
        number != floor(number)) {
        char expected[64];
        snprintf(expected, sizeof expected, "an integer from 0 to %" PRIu32, high);
        return catboost_json_wrong(r, key, expected);
    }
    *value = (uint32_t)number;
    return STATUS_OK;
}

enum status catboost_json_list(struct catboost_json *r, const char *key, bool or_null,
                               struct json_token *token) {
    enum status status = catboost_json_next(r, token);
    if (!status && token->kind != JSON_ARRAY && !(or_null && token->kind == JSON_NULL))
        status = catboost_json_wrong(r, key, "an array");
    return status;
}

enum status catboost_json_objects(struct catboost_json *r, const char *key, bool or_null,
                                  enum status (*read)(struct catboost_json *r)) {
    struct json_token token;
    enum status status = catboost_json_list(r, key, or_null, &token);
    if (!status && token.kind == JSON_NULL)
        return STATUS_OK;
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END)
        status = token.kind == JSON_OBJECT ? read(r)
                                           : catboost_json_wrong(r, key, "an array of objects");
    return status;
}

/* --- features --------------------------------------------------------------------------------- */

static struct catboost_feature *current_feature(struct catboost_json *r) {
    return &r->model.floats.features[r->model.floats.n_features - 1];
}

static enum status read_feature_index(void *data) {
    struct catboost_json *r = data;
    return catboost_json_u32(r, "feature_index", ENSEMBLE_MAX_FEATURES - 1,
                             &current_feature(r)->index);
}

static enum status read_column(void *data) {
    struct catboost_json *r = data;
    enum status status =
        catboost_json_u32(r, "flat_feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->column);
    if (!status)
        catboost_add_column(&r->model, r->column);
    return status;
}

static enum status read_name(void *data) {
    struct catboost_json *r = data;
    enum status status = catboost_json_next(r, &r->name);
    if (!status && r->name.kind != JSON_STRING)
        status = catboost_json_wrong(r, "feature_id", "a string");
    return status;
}

/* Adds the name of a feature. A name with escapes is treated as missing. */
static enum status add_name(struct catboost_json *r) {
    size_t size = r->name.kind == JSON_STRING ? r->name.size : 0;
    if (size && memchr(r->name.text, '\\', size))
        size = 0;
    return catboost_add_name(&r->model, r->column, r->name.text, size,
                             (size_t)(r->stream.end - r->stream.begin))
               ? STATUS_OK
               : error_memory(r->error, "the names of features");
}

enum status catboost_json_borders(struct catboost_json *r, struct catboost_borders *list) {
    struct json_token token;
    struct error inner;
    enum status status = catboost_json_list(r, "borders", true, &token);
    if (!status && token.kind == JSON_NULL)
        return STATUS_OK;
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
        float border = token.kind == JSON_NUMBER ? token.real : NAN;
        status = catboost_add_border(list, border, &inner);
        status = catboost_json_place(r, status, "", &inner);
    }
    return status;
}

static enum status read_borders(void *data) {
    struct catboost_json *r = data;
    return catboost_json_borders(r, &r->model.floats);
}

static enum status read_has_nans(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_TRUE && token.kind != JSON_FALSE)
        status = catboost_json_wrong(r, "has_nans", "true or false");
    r->has_nans = token.kind == JSON_TRUE;
    return status;
}

static enum status read_nan_treatment(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (status)
        return status;
    r->as_true = json_token_is(&token, "AsTrue");
    if (!json_token_is(&token, "AsTrue") && !json_token_is(&token, "AsFalse") &&
        !json_token_is(&token, "AsIs"))
        return catboost_json_wrong(r, "nan_value_treatment", "\"AsIs\", \"AsFalse\" or \"AsTrue\"");
    return STATUS_OK;
}

static enum status read_float_feature(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"feature_index", read_feature_index, true},
        {"flat_feature_index", read_column, true},
        {"borders", read_borders, true},
        {"has_nans", read_has_nans, true},
        {"nan_value_treatment", read_nan_treatment, true},
        {"feature_id", read_name, false},
    };
    struct error inner;
    snprintf(r->where, sizeof r->where, "float feature %" PRIu32 ": ", r->model.floats.n_features);
    if (!catboost_begin_feature(&r->model.floats))
        return error_memory(r->error, "the features of a model");
    r->name = (struct json_token){.kind = JSON_NULL};
    enum status status = CATBOOST_JSON_MEMBERS(r, members);
    if (status)
        return status;
    current_feature(r)->column = r->column;
    current_feature(r)->nan_holds = r->has_nans && r->as_true;
    if ((status = add_name(r)))
        return status;
    status = catboost_end_feature(&r->model, &inner);
    status = catboost_json_place(r, status, "", &inner);
    r->where[0] = '\0';
    return status;
}

static enum status read_float_features(void *data) {
    return catboost_json_objects(data, "float_features", false, read_float_feature);
}

static struct catboost_category *current_category(struct catboost_json *r) {
    return &r->model.categories[r->model.n_categories - 1];
}

static enum status read_category_index(void *data) {
    struct catboost_json *r = data;
    r->has_index = true;
    return catboost_json_u32(r, "feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->index);
}

enum status catboost_json_hash(struct catboost_json *r, const struct json_token *token,
                               const char *key, int32_t *hash) {
    if (token->kind != JSON_NUMBER || !token->is_integer || token->integer < INT32_MIN ||
        token->integer > INT32_MAX)
        return catboost_json_wrong(r, key, "a 32-bit integer");
    *hash = (int32_t)token->integer;
    return STATUS_OK;
}

static enum status read_hashes(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    struct error inner;
    enum status status = catboost_json_list(r, "values", true, &token);
    if (status || token.kind == JSON_NULL)
        return status;
    r->has_hashes = true;
    if (!catboost_begin_category(&r->model))
        return error_memory(r->error, "the features of a model");
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
        int32_t hash = 0;
        if ((status = catboost_json_hash(r, &token, "values", &hash)))
            break;
        status = catboost_add_hash(&r->model, hash, &inner);
        status = catboost_json_place(r, status, "values: ", &inner);
    }
    return status;
}

/* Features that no tree tests still have a column. */
static enum status read_categorical_feature(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"flat_feature_index", read_column, true},
        {"feature_index", read_category_index, false},
        {"values", read_hashes, false},
        {"feature_id", read_name, false},
    };
    struct error inner;
    r->has_hashes = r->has_index = false;
    r->index = 0;
    r->name = (struct json_token){.kind = JSON_NULL};
    enum status status = CATBOOST_JSON_MEMBERS(r, members);
    if (!status)
        status = add_name(r);
    if (!status && r->has_index) {
        status = catboost_add_categorical(&r->model, r->index, r->column, &inner);
        status = catboost_json_place(r, status, "categorical_features: ", &inner);
    }
    if (status || !r->has_hashes)
        return status;
    current_category(r)->index = r->index;
    current_category(r)->column = r->column;
    status = catboost_end_category(&r->model, &inner);
    return catboost_json_place(r, status, "categorical_features: ", &inner);
}

static enum status read_categorical_features(void *data) {
    return catboost_json_objects(data, "categorical_features", true, read_categorical_feature);
}

/* Remembers where a value is, to read it later. */
static enum status pass_over(struct catboost_json *r, struct json_stream *at) {
    *at = r->stream;
    return json_stream_skip(&r->stream, r->error);
}

static enum status pass_over_ctrs(void *data) {
    struct catboost_json *r = data;
    r->has_ctrs = true;
    return pass_over(r, &r->ctrs);
}

static enum status read_features_info(void *data) {
    static const struct json_stream_member members[] = {
        {"float_features", read_float_features, false},
        {"categorical_features", read_categorical_features, false},
        {"ctrs", pass_over_ctrs, false},
    };
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = catboost_json_wrong(r, "features_info", "an object");
    return status ? status : CATBOOST_JSON_MEMBERS(r, members);
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status wrong_scale(const struct catboost_json *r) {
    return catboost_json_wrong(r, "scale_and_bias",
                               "[SCALE, BIAS] or [SCALE, [BIAS, ...]] with numbers");
}

static enum status add_bias(struct catboost_json *r, double bias) {
    return catboost_add_value(&r->model.bias, bias) ? STATUS_OK
                                                    : error_memory(r->error, "a list of a model");
}

static enum status read_biases(struct catboost_json *r) {
    struct json_token token;
    enum status status = STATUS_OK;
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
        double value;
        status = json_token_double(&token, &value) ? add_bias(r, value) : wrong_scale(r);
    }
    return status;
}

/* The first versions of CatBoost write no bias. Later versions write one bias for all outputs. The
 * latest versions write one bias per output, or none. */
static enum status read_scale_and_bias(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    double bias;
    enum status status = catboost_json_list(r, "scale_and_bias", false, &token);
    if (!status && !(status = catboost_json_next(r, &token)) &&
        !json_token_double(&token, &r->model.scale))
        status = wrong_scale(r);
    if (status || (status = catboost_json_next(r, &token)))
        return status;
    if (json_token_double(&token, &bias)) {
        r->model.one_bias = true;
        status = add_bias(r, bias);
    } else if (token.kind == JSON_ARRAY) {
        status = read_biases(r);
    } else if (token.kind != JSON_NULL) {
        status = wrong_scale(r);
    }
    if (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END)
        status = wrong_scale(r);
    return status;
}

static enum status pass_over_trees(struct catboost_json *r) {
    if (r->has_trees)
        return catboost_json_wrong(r, "trees", "either oblivious_trees or trees, not both");
    r->has_trees = true;
    return pass_over(r, &r->trees);
}

static enum status pass_over_oblivious(void *data) {
    ((struct catboost_json *)data)->is_oblivious = true;
    return pass_over_trees(data);
}

static enum status pass_over_others(void *data) {
    return pass_over_trees(data);
}

static enum status pass_over_ctr_tables(void *data) {
    struct catboost_json *r = data;
    r->has_ctr_tables = true;
    return pass_over(r, &r->ctr_tables);
}

static enum status read_root(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"features_info", read_features_info, true},
        {"oblivious_trees", pass_over_oblivious, false},
        {"scale_and_bias", read_scale_and_bias, false},
        {"trees", pass_over_others, false},
        {"ctr_data", pass_over_ctr_tables, false},
    };
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = json_stream_error(&r->stream, r->error, "expected a JSON object");
    if (!status)
        status = CATBOOST_JSON_MEMBERS(r, members);
    return status ? status : catboost_json_next(r, &token); /* the end of the file */
}

static enum status read_model(struct catboost_json *r) {
    enum status status = read_root(r);
    if (status)
        return status;
    if (!r->has_trees)
        return json_stream_error(&r->stream, r->error, "oblivious_trees: missing");
    if (r->has_ctrs && (status = catboost_json_ctrs(r)))
        return status;
    r->stream = r->trees;
    status = catboost_json_trees(r);
    if (!status && r->tree == 0)
        status = json_stream_error(&r->stream, r->error, "the model has no trees");
    return status;
}

/* The reader is too large for a small stack. */
enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error) {
    struct catboost_json *r = calloc(1, sizeof *r);
    if (!r)
        return error_memory(error, "a model");
    r->error = error;
    json_stream_open_text(&r->stream, name, text, size);
    enum status status =
        catboost_create(&r->model) ? read_model(r) : error_memory(error, "a model");
    if (!status)
        status = catboost_finish(&r->model, name, ensemble, error);
    else
        catboost_free(&r->model);
    free(r->leaves.values);
    free(r->nodes);
    free(r->states);
    catboost_json_free_ctrs(r);
    free(r);
    return status;
}
