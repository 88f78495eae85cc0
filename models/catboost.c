/* CatBoost's JSON, of models with oblivious trees over float features:
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
 * As CatBoost (json_model_helpers.cpp, quantization.h, evaluator_impl.cpp) has it: a document's
 * leaf is the number of which bit i says whether it is over the border of split i (x > border in
 * float32); the values of a leaf's outputs lie together; a score is scale * sum + bias; NaN is over
 * no border, but over each where the feature has NaNs that are treated as true. CatBoost itself
 * looks splits up by split_index, which counts the borders of all features: both must agree here.
 * Trees need what may stand behind them, and so are passed over first and read in the end. The raw
 * score is what we give, without the softmax or the sigmoid of a classifier. */
#include "base/json_stream.h"
#include "base/memory.h"
#include "models/format.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 24 }; /* CatBoost's own limit is 16 */

struct float_feature {
    uint32_t index, column;
    bool has_nans, as_true;           /* NaN is over each border where both hold */
    uint32_t first_border, n_borders; /* in the reader's borders */
};

struct split {
    uint32_t feature, place; /* float_feature_index, split_index */
    float border;
};

struct double_list {
    double *values;
    size_t count, capacity;
};

struct catboost_reader {
    struct json_stream stream, trees; /* trees: where their list begins */
    bool has_trees;
    struct error *error;
    char where[64];                 /* "tree 3, split 1: ", for errors */
    struct float_feature *features; /* by rising index */
    size_t features_capacity;
    uint32_t n_features, n_columns, column;
    float *borders; /* of all features */
    size_t n_borders, borders_capacity;

    struct split splits[MAX_DEPTH]; /* of the current tree */
    uint32_t tree, depth;
    struct double_list leaves;

    uint32_t n_outputs; /* 0 until a tree tells */
    double scale;
    bool one_bias; /* for all outputs */
    struct double_list bias;
    struct ensemble_builder *builder;
};

/* --- values ----------------------------------------------------------------------------------- */

static enum status next_token(struct catboost_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

/* "FILE:LINE: tree 3, split 1: KEY: should be EXPECTED" */
static enum status wrong_value(const struct catboost_reader *r, const char *key,
                               const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: should be %s", r->where, key, expected);
}

static enum status read_u32(struct catboost_reader *r, const char *key, uint32_t high,
                            uint32_t *value) {
    struct json_token token;
    double number;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &number) || !(number >= 0 && number <= high) ||
        number != floor(number)) {
        char expected[64];
        snprintf(expected, sizeof expected, "an integer from 0 to %" PRIu32, high);
        return wrong_value(r, key, expected);
    }
    *value = (uint32_t)number;
    return STATUS_OK;
}

static enum status append(struct catboost_reader *r, struct double_list *list, double value) {
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof value))
        return error_memory(r->error, "a list of a model");
    list->values[list->count++] = value;
    return STATUS_OK;
}

static enum status to_border(const struct catboost_reader *r, const struct json_token *token,
                             float *border) {
    if (token->kind != JSON_NUMBER || !isfinite(token->real))
        return json_stream_error(&r->stream, r->error,
                                 "%sa border should be a number in float32's range", r->where);
    *border = token->real;
    return STATUS_OK;
}

/* Begins a list, which some versions write as null where it is empty. */
static enum status begin_list(struct catboost_reader *r, const char *key, bool or_null,
                              struct json_token *token) {
    enum status status = next_token(r, token);
    if (!status && token->kind != JSON_ARRAY && !(or_null && token->kind == JSON_NULL))
        status = wrong_value(r, key, "an array");
    return status;
}

/* Reads an array of objects; `read` reads the rest of each. */
static enum status read_objects(struct catboost_reader *r, const char *key, bool or_null,
                                enum status (*read)(struct catboost_reader *r)) {
    struct json_token token;
    enum status status = begin_list(r, key, or_null, &token);
    if (!status && token.kind == JSON_NULL)
        return STATUS_OK;
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END)
        status = token.kind == JSON_OBJECT ? read(r) : wrong_value(r, key, "an array of objects");
    return status;
}

#define READ_OBJECT(r, members, skip_unknown)                                                      \
    json_stream_members(&(r)->stream, (r)->where, members, sizeof(members) / sizeof *(members),    \
                        skip_unknown, (r), (r)->error)

/* --- features --------------------------------------------------------------------------------- */

static struct float_feature *last_feature(struct catboost_reader *r) {
    return &r->features[r->n_features - 1];
}

static enum status read_feature_index(void *data) {
    struct catboost_reader *r = data;
    return read_u32(r, "feature_index", ENSEMBLE_MAX_FEATURES - 1, &last_feature(r)->index);
}

static enum status read_column(void *data) {
    struct catboost_reader *r = data;
    enum status status = read_u32(r, "flat_feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->column);
    if (!status && r->column >= r->n_columns)
        r->n_columns = r->column + 1;
    return status;
}

static enum status read_borders(void *data) {
    struct catboost_reader *r = data;
    struct float_feature *feature = last_feature(r);
    struct json_token token;
    enum status status = begin_list(r, "borders", true, &token);
    feature->first_border = (uint32_t)r->n_borders;
    if (!status && token.kind == JSON_NULL)
        return STATUS_OK;
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END) {
        if (!memory_grow((void **)&r->borders, &r->borders_capacity, r->n_borders,
                         sizeof *r->borders))
            return error_memory(r->error, "the borders of a model");
        status = to_border(r, &token, &r->borders[r->n_borders++]);
    }
    feature->n_borders = (uint32_t)r->n_borders - feature->first_border;
    return status;
}

static enum status read_has_nans(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_TRUE && token.kind != JSON_FALSE)
        status = wrong_value(r, "has_nans", "true or false");
    last_feature(r)->has_nans = token.kind == JSON_TRUE;
    return status;
}

static enum status read_nan_treatment(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    last_feature(r)->as_true = json_token_is(&token, "AsTrue");
    if (!json_token_is(&token, "AsTrue") && !json_token_is(&token, "AsFalse") &&
        !json_token_is(&token, "AsIs"))
        return wrong_value(r, "nan_value_treatment", "\"AsIs\", \"AsFalse\" or \"AsTrue\"");
    return STATUS_OK;
}

static enum status read_float_feature(struct catboost_reader *r) {
    static const struct json_member members[] = {
        {"feature_index", read_feature_index, true},
        {"flat_feature_index", read_column, true},
        {"borders", read_borders, true},
        {"has_nans", read_has_nans, true},
        {"nan_value_treatment", read_nan_treatment, true},
    };
    if (!memory_grow((void **)&r->features, &r->features_capacity, r->n_features,
                     sizeof *r->features))
        return error_memory(r->error, "the features of a model");
    r->features[r->n_features] = (struct float_feature){0};
    snprintf(r->where, sizeof r->where, "float feature %" PRIu32 ": ", r->n_features++);
    enum status status = READ_OBJECT(r, members, true);
    if (status)
        return status;
    struct float_feature *feature = last_feature(r);
    feature->column = r->column;
    if (r->n_features > 1 && feature->index <= feature[-1].index)
        return json_stream_error(&r->stream, r->error,
                                 "%sfeature_index: is %" PRIu32 ", should be over the %" PRIu32
                                 " of the feature before it",
                                 r->where, feature->index, feature[-1].index);
    r->where[0] = '\0';
    return STATUS_OK;
}

static enum status read_float_features(void *data) {
    return read_objects(data, "float_features", false, read_float_feature);
}

/* Categorical features that no tree uses are columns all the same. */
static enum status count_categorical_feature(struct catboost_reader *r) {
    static const struct json_member members[] = {{"flat_feature_index", read_column, true}};
    return READ_OBJECT(r, members, true);
}

static enum status count_categorical(void *data) {
    return read_objects(data, "categorical_features", true, count_categorical_feature);
}

static enum status read_features_info(void *data) {
    static const struct json_member members[] = {
        {"float_features", read_float_features, false},
        {"categorical_features", count_categorical, false},
    };
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = wrong_value(r, "features_info", "an object");
    return status ? status : READ_OBJECT(r, members, true);
}

static int compare_index(const void *key, const void *feature) {
    uint32_t a = *(const uint32_t *)key, b = ((const struct float_feature *)feature)->index;
    return (a > b) - (a < b);
}

static const struct float_feature *find_feature(const struct catboost_reader *r, uint32_t index) {
    if (r->n_features == 0)
        return NULL;
    return bsearch(&index, r->features, r->n_features, sizeof *r->features, compare_index);
}

/* --- splits ----------------------------------------------------------------------------------- */

static enum status read_split_type(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_STRING)
        status = wrong_value(r, "split_type", "a string");
    if (status || json_token_is(&token, "FloatFeature"))
        return status;
    json_stream_error(&r->stream, r->error,
                      "%ssplit_type: \"%.*s\", a test of categories, which `x <= threshold` cannot "
                      "say, should be \"FloatFeature\"",
                      r->where, (int)(token.size < 40 ? token.size : 40), token.text);
    return STATUS_UNSUPPORTED;
}

static enum status read_split_feature(void *data) {
    struct catboost_reader *r = data;
    return read_u32(r, "float_feature_index", ENSEMBLE_MAX_FEATURES - 1,
                    &r->splits[r->depth].feature);
}

static enum status read_split_place(void *data) {
    struct catboost_reader *r = data;
    return read_u32(r, "split_index", UINT32_MAX, &r->splits[r->depth].place);
}

static enum status read_split_border(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    return status ? status : to_border(r, &token, &r->splits[r->depth].border);
}

static enum status check_split(const struct catboost_reader *r, const struct split *split) {
    const struct float_feature *feature = find_feature(r, split->feature);
    if (!feature)
        return json_stream_error(&r->stream, r->error,
                                 "%sfloat_feature_index: is %" PRIu32
                                 ", should be the feature_index of a float feature",
                                 r->where, split->feature);
    if (split->place < feature->first_border ||
        split->place - feature->first_border >= feature->n_borders ||
        r->borders[split->place] != split->border)
        return json_stream_error(
            &r->stream, r->error,
            "%ssplit_index: is %" PRIu32
            ", should be the place of the split's border among those of all features",
            r->where, split->place);
    return STATUS_OK;
}

static void name_tree(struct catboost_reader *r) {
    snprintf(r->where, sizeof r->where, "tree %" PRIu32 ": ", r->tree);
}

static enum status read_split(struct catboost_reader *r) {
    static const struct json_member members[] = {
        {"split_type", read_split_type, true},
        {"float_feature_index", read_split_feature, true},
        {"split_index", read_split_place, true},
        {"border", read_split_border, true},
    };
    if (r->depth == MAX_DEPTH)
        return json_stream_error(&r->stream, r->error, "%ssplits: should be at most %d", r->where,
                                 MAX_DEPTH);
    snprintf(r->where, sizeof r->where, "tree %" PRIu32 ", split %" PRIu32 ": ", r->tree, r->depth);
    enum status status = READ_OBJECT(r, members, true);
    if (!status)
        status = check_split(r, &r->splits[r->depth]);
    if (!status) {
        name_tree(r);
        r->depth++;
    }
    return status;
}

static enum status read_splits(void *data) {
    return read_objects(data, "splits", true, read_split);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_leaves(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    enum status status = begin_list(r, "leaf_values", false, &token);
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END) {
        double value;
        if (!json_token_double(&token, &value))
            return json_stream_error(&r->stream, r->error,
                                     "%sleaf_values: value %zu should be a finite number", r->where,
                                     r->leaves.count);
        status = append(r, &r->leaves, value);
    }
    return status;
}

/* A perfect tree, breadth first: node i has the children 2i + 1 and 2i + 2. The last split is at
 * the root, for the leaves then are from left to right as they are in the file. */
static void add_tree(const struct catboost_reader *r, uint32_t output) {
    ensemble_builder_add_tree(r->builder, output);
    for (uint32_t level = 0; level < r->depth; level++) {
        const struct split *split = &r->splits[r->depth - 1 - level];
        const struct float_feature *feature = find_feature(r, split->feature);
        for (uint32_t i = (1U << level) - 1; i < (2U << level) - 1; i++)
            ensemble_builder_add_inner(
                r->builder,
                &(struct inner_node){.feature = feature->column,
                                     .threshold = split->border,
                                     .left = 2 * i + 1,
                                     .right = 2 * i + 2,
                                     .nan_left = !feature->has_nans || !feature->as_true,
                                     .count = ENSEMBLE_NO_COUNT});
    }
    for (size_t leaf = 0; leaf < (size_t)1 << r->depth; leaf++)
        ensemble_builder_add_leaf(r->builder,
                                  r->leaves.values[leaf * r->n_outputs + output] * r->scale,
                                  ENSEMBLE_NO_COUNT);
}

/* One bias, one for each output, or none. */
static enum status complete_bias(struct catboost_reader *r) {
    size_t given = r->bias.count;
    double one = r->one_bias ? r->bias.values[0] : 0;
    enum status status = STATUS_OK;
    if (given && !r->one_bias && given != r->n_outputs)
        return json_stream_error(&r->stream, r->error,
                                 "scale_and_bias: %zu biases, should be one for each of the "
                                 "%" PRIu32 " outputs",
                                 given, r->n_outputs);
    while (r->bias.count < r->n_outputs && !status)
        status = append(r, &r->bias, one);
    return status;
}

/* The first tree tells the number of outputs. */
static enum status find_outputs(struct catboost_reader *r) {
    size_t outputs = r->leaves.count >> r->depth;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS)
        return json_stream_error(&r->stream, r->error,
                                 "%sleaf_values: %zu values, should be a multiple of %u", r->where,
                                 r->leaves.count, 1U << r->depth);
    r->n_outputs = (uint32_t)outputs;
    return complete_bias(r);
}

static enum status read_tree(struct catboost_reader *r) {
    static const struct json_member members[] = {
        {"splits", read_splits, true},
        {"leaf_values", read_leaves, true},
    };
    r->depth = 0;
    r->leaves.count = 0;
    name_tree(r);
    enum status status = READ_OBJECT(r, members, true);
    if (!status && !r->n_outputs)
        status = find_outputs(r);
    if (status)
        return status;
    size_t expected = ((size_t)1 << r->depth) * r->n_outputs;
    if (r->leaves.count != expected)
        return json_stream_error(&r->stream, r->error,
                                 "%sleaf_values: %zu values, should be %zu for %" PRIu32
                                 " splits and %" PRIu32 " outputs",
                                 r->where, r->leaves.count, expected, r->depth, r->n_outputs);
    for (uint32_t output = 0; output < r->n_outputs; output++)
        add_tree(r, output);
    r->tree++;
    r->where[0] = '\0';
    return STATUS_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status wrong_scale(const struct catboost_reader *r) {
    return wrong_value(r, "scale_and_bias", "[SCALE, BIAS] or [SCALE, [BIAS, ...]], of numbers");
}

static enum status read_biases(struct catboost_reader *r) {
    struct json_token token;
    enum status status = STATUS_OK;
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END) {
        double value;
        status = json_token_double(&token, &value) ? append(r, &r->bias, value) : wrong_scale(r);
    }
    return status;
}

/* Absent in the first versions; then one bias for all outputs; then one for each, or none. */
static enum status read_scale_and_bias(void *data) {
    struct catboost_reader *r = data;
    struct json_token token;
    double bias;
    enum status status = begin_list(r, "scale_and_bias", false, &token);
    if (!status && !(status = next_token(r, &token)) && !json_token_double(&token, &r->scale))
        status = wrong_scale(r);
    if (status || (status = next_token(r, &token)))
        return status;
    if (json_token_double(&token, &bias)) {
        r->one_bias = true;
        status = append(r, &r->bias, bias);
    } else if (token.kind == JSON_ARRAY) {
        status = read_biases(r);
    } else if (token.kind != JSON_NULL) {
        status = wrong_scale(r);
    }
    if (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END)
        status = wrong_scale(r);
    return status;
}

static enum status refuse_trees(void *data) {
    const struct catboost_reader *r = data;
    json_stream_error(&r->stream, r->error,
                      "trees: trees that are not symmetric, should be oblivious_trees (CatBoost's "
                      "grow_policy=SymmetricTree)");
    return STATUS_UNSUPPORTED;
}

static enum status pass_over_trees(void *data) {
    struct catboost_reader *r = data;
    r->trees = r->stream;
    r->has_trees = true;
    return json_stream_skip(&r->stream, r->error);
}

static enum status read_root(struct catboost_reader *r) {
    static const struct json_member members[] = {
        {"features_info", read_features_info, true},
        {"oblivious_trees", pass_over_trees, false},
        {"scale_and_bias", read_scale_and_bias, false},
        {"trees", refuse_trees, false},
    };
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = json_stream_error(&r->stream, r->error, "should be a JSON object");
    if (!status)
        status = READ_OBJECT(r, members, true);
    return status ? status : next_token(r, &token); /* the end of the file */
}

static enum status read_model(struct catboost_reader *r) {
    enum status status = read_root(r);
    if (status)
        return status;
    if (!r->has_trees)
        return json_stream_error(&r->stream, r->error,
                                 "oblivious_trees: missing, and should be there");
    r->stream = r->trees;
    status = read_objects(r, "oblivious_trees", false, read_tree);
    if (!status && r->tree == 0)
        status =
            json_stream_error(&r->stream, r->error, "oblivious_trees: is empty, should have trees");
    return status;
}

static enum status read_json(const char *name, const char *text, size_t size,
                             struct ensemble **ensemble, struct error *error) {
    struct catboost_reader r = {.error = error, .scale = 1};
    json_stream_open_text(&r.stream, name, text, size);
    r.builder = ensemble_builder_create();
    enum status status = r.builder ? read_model(&r) : error_memory(error, "a model");
    const struct ensemble_shape shape = {
        .n_features = r.n_columns, .n_outputs = r.n_outputs, .base = r.bias.values};
    free(r.features);
    free(r.borders);
    free(r.leaves.values);
    if (!status)
        status = reader_finish(name, r.builder, &shape, ensemble, error);
    else
        ensemble_builder_free(r.builder);
    free(r.bias.values);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

/* CatBoost's other formats are recognised in order to say what to do: its own binary one, and
 * CoreML's, a message that begins with its version and names the program that made it. */
static const char *other_format(const char *text, size_t size) {
    static const char author[] = "Catboost";
    size_t near = size < 16384 ? size : 16384;
    if (size >= 4 && memcmp(text, "CBM1", 4) == 0)
        return "CatBoost's binary format";
    if (size >= 2 && text[0] == 8 && memmem(text, near, author, sizeof author - 1))
        return "CoreML's format";
    return NULL;
}

static enum status catboost_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    const char *other = other_format(text, size);
    if (other)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s:1: a CatBoost model in %s, should be in JSON: "
                         "save_model(\"model.json\", format=\"json\")",
                         name, other);
    return read_json(name, text, size, ensemble, error);
}

static size_t skip_spaces(const char *text, size_t size, size_t at) {
    while (at < size && memchr(" \t\r\n", text[at], 4))
        at++;
    return at;
}

/* A JSON object whose first key is one of CatBoost's. */
static bool catboost_recognise(const char *text, size_t size) {
    static const char *const keys[] = {"\"features_info\"", "\"model_info\"", "\"oblivious_trees\"",
                                       "\"ctr_data\""};
    if (other_format(text, size))
        return true;
    size_t at = skip_spaces(text, size, 0);
    if (at == size || text[at] != '{')
        return false;
    at = skip_spaces(text, size, at + 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (size - at > strlen(keys[i]) && memcmp(text + at, keys[i], strlen(keys[i])) == 0)
            return true;
    }
    return false;
}

const struct model_format model_format_catboost = {
    .name = "catboost",
    .title = "CatBoost JSON",
    .recognise = catboost_recognise,
    .read = catboost_read,
};
