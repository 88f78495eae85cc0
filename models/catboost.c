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
 * The raw score is what we give, without the softmax or the sigmoid of a classifier. */
#include "base/json.h"
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
    bool nan_right;
    uint32_t first_border, n_borders; /* in the reader's borders */
};

struct split {
    uint32_t column;
    float border;
    bool nan_left;
};

struct catboost_reader {
    const char *name;
    struct error *error;
    struct float_feature *features; /* by rising index */
    uint32_t n_features, n_columns;
    float *borders; /* of all features */
    size_t n_borders, borders_capacity;
    uint32_t n_outputs;
    double scale, *bias; /* bias: [n_outputs] */
    struct ensemble_builder *builder;
};

/* --- features --------------------------------------------------------------------------------- */

static enum status read_border(const struct catboost_reader *r, const char *where,
                               const cJSON *number, float *border) {
    if (!cJSON_IsNumber(number) || !isfinite((float)number->valuedouble))
        return error_set(r->error, STATUS_INPUT,
                         "%s: a border should be a number in float32's range", where);
    *border = (float)number->valuedouble;
    return STATUS_OK;
}

/* A feature that no tree uses has no borders, which some versions write as null. */
static enum status read_borders(struct catboost_reader *r, const char *where, const cJSON *json,
                                struct float_feature *feature) {
    const cJSON *array = NULL;
    enum status status = STATUS_OK;
    if (!cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, "borders")))
        status = json_get_array(where, json, "borders", &array, r->error);
    feature->first_border = (uint32_t)r->n_borders;
    for (const cJSON *item = array ? array->child : NULL; item && !status; item = item->next) {
        if (!memory_grow((void **)&r->borders, &r->borders_capacity, r->n_borders,
                         sizeof *r->borders))
            return error_memory(r->error, "the borders of a model");
        status = read_border(r, where, item, &r->borders[r->n_borders++]);
    }
    feature->n_borders = (uint32_t)r->n_borders - feature->first_border;
    return status;
}

static enum status read_nan_rule(const struct catboost_reader *r, const char *where,
                                 const cJSON *json, struct float_feature *feature) {
    const cJSON *has_nans = cJSON_GetObjectItemCaseSensitive(json, "has_nans");
    const char *treatment = NULL;
    enum status status = json_get_string(where, json, "nan_value_treatment", &treatment, r->error);
    if (status)
        return status;
    if (!cJSON_IsBool(has_nans))
        return error_set(r->error, STATUS_INPUT, "%s: has_nans: should be true or false", where);
    bool as_true = strcmp(treatment, "AsTrue") == 0;
    if (!as_true && strcmp(treatment, "AsFalse") != 0 && strcmp(treatment, "AsIs") != 0)
        return error_set(r->error, STATUS_INPUT,
                         "%s: nan_value_treatment: \"%.40s\", should be \"AsIs\", \"AsFalse\" or "
                         "\"AsTrue\"",
                         where, treatment);
    feature->nan_right = as_true && cJSON_IsTrue(has_nans);
    return STATUS_OK;
}

static void count_column(struct catboost_reader *r, uint32_t column) {
    if (column >= r->n_columns)
        r->n_columns = column + 1;
}

static enum status read_float_feature(struct catboost_reader *r, uint32_t i, const cJSON *json) {
    struct float_feature *feature = &r->features[i];
    char where[ERROR_TEXT_SIZE / 2];
    snprintf(where, sizeof where, "%s: float feature %" PRIu32, r->name, i);
    enum status status;
    if ((status = json_get_u32(where, json, "feature_index", 0, ENSEMBLE_MAX_FEATURES - 1,
                               &feature->index, r->error)) ||
        (status = json_get_u32(where, json, "flat_feature_index", 0, ENSEMBLE_MAX_FEATURES - 1,
                               &feature->column, r->error)) ||
        (status = read_borders(r, where, json, feature)) ||
        (status = read_nan_rule(r, where, json, feature)))
        return status;
    if (i > 0 && feature->index <= feature[-1].index)
        return error_set(r->error, STATUS_INPUT,
                         "%s: feature_index: is %" PRIu32 ", should be over the %" PRIu32
                         " of the feature before it",
                         where, feature->index, feature[-1].index);
    count_column(r, feature->column);
    return STATUS_OK;
}

/* Categorical features that no tree uses are columns all the same. */
static enum status count_categorical(struct catboost_reader *r, const cJSON *info) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(info, "categorical_features");
    enum status status = STATUS_OK;
    for (const cJSON *item = array ? array->child : NULL; item && !status; item = item->next) {
        uint32_t column = 0;
        status = json_get_u32(r->name, item, "flat_feature_index", 0, ENSEMBLE_MAX_FEATURES - 1,
                              &column, r->error);
        count_column(r, column);
    }
    return status;
}

static enum status read_features(struct catboost_reader *r, const cJSON *model) {
    const cJSON *info = NULL, *array = NULL;
    enum status status = json_get_object(r->name, model, "features_info", &info, r->error);
    if (!status && cJSON_GetObjectItemCaseSensitive(info, "float_features"))
        status = json_get_array(r->name, info, "float_features", &array, r->error);
    if (status)
        return status;
    r->features = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *r->features);
    if (!r->features)
        return error_memory(r->error, "the features of a model");
    for (const cJSON *item = array ? array->child : NULL; item && !status; item = item->next)
        status = read_float_feature(r, r->n_features++, item);
    return status ? status : count_categorical(r, info);
}

static int compare_index(const void *key, const void *feature) {
    uint32_t a = *(const uint32_t *)key, b = ((const struct float_feature *)feature)->index;
    return (a > b) - (a < b);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_split(const struct catboost_reader *r, const char *where, const cJSON *json,
                              struct split *split) {
    const char *type = NULL;
    uint32_t index = 0, place = 0;
    enum status status = json_get_string(where, json, "split_type", &type, r->error);
    if (!status && strcmp(type, "FloatFeature") != 0)
        return error_set(r->error, STATUS_UNSUPPORTED,
                         "%s: split_type: \"%.40s\", a test of categories, which `x <= threshold` "
                         "cannot say, should be \"FloatFeature\"",
                         where, type);
    if (status ||
        (status = json_get_u32(where, json, "float_feature_index", 0, ENSEMBLE_MAX_FEATURES - 1,
                               &index, r->error)) ||
        (status = json_get_u32(where, json, "split_index", 0, UINT32_MAX, &place, r->error)) ||
        (status = read_border(r, where, cJSON_GetObjectItemCaseSensitive(json, "border"),
                              &split->border)))
        return status;
    const struct float_feature *feature =
        bsearch(&index, r->features, r->n_features, sizeof *feature, compare_index);
    if (!feature)
        return error_set(r->error, STATUS_INPUT,
                         "%s: float_feature_index: is %" PRIu32
                         ", should be the feature_index of a float feature",
                         where, index);
    if (place < feature->first_border || place - feature->first_border >= feature->n_borders ||
        r->borders[place] != split->border)
        return error_set(r->error, STATUS_INPUT,
                         "%s: split_index: is %" PRIu32
                         ", should be the place of the split's border among those of all features",
                         where, place);
    split->column = feature->column;
    split->nan_left = !feature->nan_right;
    return STATUS_OK;
}

/* A perfect tree, breadth first: node i has the children 2i + 1 and 2i + 2. The last split is at
 * the root, for the leaves then are from left to right as they are in the file. */
static void add_tree(const struct catboost_reader *r, const struct split *splits, uint32_t depth,
                     const cJSON *const *leaves, uint32_t output) {
    ensemble_builder_add_tree(r->builder, output);
    for (uint32_t level = 0; level < depth; level++) {
        const struct split *split = &splits[depth - 1 - level];
        for (uint32_t i = (1U << level) - 1; i < (2U << level) - 1; i++)
            ensemble_builder_add_inner(r->builder,
                                       &(struct inner_node){.feature = split->column,
                                                            .threshold = split->border,
                                                            .left = 2 * i + 1,
                                                            .right = 2 * i + 2,
                                                            .nan_left = split->nan_left,
                                                            .count = ENSEMBLE_NO_COUNT});
    }
    for (size_t leaf = 0; leaf < (size_t)1 << depth; leaf++)
        ensemble_builder_add_leaf(r->builder,
                                  leaves[leaf * r->n_outputs + output]->valuedouble * r->scale,
                                  ENSEMBLE_NO_COUNT);
}

static enum status read_leaves(const struct catboost_reader *r, const char *where,
                               const cJSON *array, const struct split *splits, uint32_t depth) {
    const cJSON **leaves = malloc(((size_t)cJSON_GetArraySize(array) + 1) * sizeof *leaves);
    enum status status = leaves ? STATUS_OK : error_memory(r->error, "the leaves of a tree");
    size_t count = 0;
    for (const cJSON *item = array->child; item && !status; item = item->next) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            status =
                error_set(r->error, STATUS_INPUT,
                          "%s: leaf_values: value %zu should be a finite number", where, count);
        else
            leaves[count++] = item;
    }
    for (uint32_t output = 0; output < r->n_outputs && !status; output++)
        add_tree(r, splits, depth, leaves, output);
    free(leaves);
    return status;
}

/* The splits of a tree without any are written as null. */
static enum status find_splits(const struct catboost_reader *r, const char *where,
                               const cJSON *tree, const cJSON **splits, uint32_t *depth) {
    enum status status = STATUS_OK;
    *splits = NULL;
    if (!cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(tree, "splits")))
        status = json_get_array(where, tree, "splits", splits, r->error);
    int count = status ? 0 : cJSON_GetArraySize(*splits);
    if (count > MAX_DEPTH)
        status = error_set(r->error, STATUS_INPUT, "%s: splits: %d of them, should be at most %d",
                           where, count, MAX_DEPTH);
    *depth = (uint32_t)count;
    return status;
}

static enum status read_tree(struct catboost_reader *r, uint32_t number, const cJSON *tree) {
    struct split splits[MAX_DEPTH];
    const cJSON *split_list = NULL, *leaf_list = NULL;
    char where[ERROR_TEXT_SIZE / 2];
    uint32_t depth = 0, i = 0;
    snprintf(where, sizeof where, "%s: tree %" PRIu32, r->name, number);
    enum status status = find_splits(r, where, tree, &split_list, &depth);
    if (!status)
        status = json_get_array(where, tree, "leaf_values", &leaf_list, r->error);
    if (status)
        return status;
    size_t expected = ((size_t)1 << depth) * r->n_outputs;
    if ((size_t)cJSON_GetArraySize(leaf_list) != expected)
        return error_set(r->error, STATUS_INPUT,
                         "%s: leaf_values: %d values, should be %zu for %" PRIu32
                         " splits and %" PRIu32 " outputs",
                         where, cJSON_GetArraySize(leaf_list), expected, depth, r->n_outputs);
    for (const cJSON *item = split_list ? split_list->child : NULL; item && !status;
         item = item->next, i++) {
        snprintf(where, sizeof where, "%s: tree %" PRIu32 ", split %" PRIu32, r->name, number, i);
        status = read_split(r, where, item, &splits[i]);
    }
    snprintf(where, sizeof where, "%s: tree %" PRIu32, r->name, number);
    return status ? status : read_leaves(r, where, leaf_list, splits, depth);
}

/* --- the model -------------------------------------------------------------------------------- */

/* The first tree tells the number of outputs. */
static enum status find_outputs(struct catboost_reader *r, const cJSON *trees) {
    const cJSON *tree = trees->child, *splits = NULL, *leaves = NULL;
    char where[ERROR_TEXT_SIZE / 2];
    uint32_t depth = 0;
    snprintf(where, sizeof where, "%s: tree 0", r->name);
    enum status status = find_splits(r, where, tree, &splits, &depth);
    if (!status)
        status = json_get_array(where, tree, "leaf_values", &leaves, r->error);
    if (status)
        return status;
    size_t outputs = (size_t)cJSON_GetArraySize(leaves) >> depth;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS)
        return error_set(r->error, STATUS_INPUT,
                         "%s: leaf_values: %d values, should be a multiple of %u", where,
                         cJSON_GetArraySize(leaves), 1U << depth);
    r->n_outputs = (uint32_t)outputs;
    r->bias = calloc(outputs, sizeof *r->bias);
    return r->bias ? STATUS_OK : error_memory(r->error, "a model");
}

static enum status wrong_scale(const struct catboost_reader *r) {
    return error_set(r->error, STATUS_INPUT,
                     "%s: scale_and_bias: should be [SCALE, BIAS] or [SCALE, [BIAS, ...]] with a "
                     "bias for each of the %" PRIu32 " outputs",
                     r->name, r->n_outputs);
}

/* Absent in the first versions; then one bias for all outputs; then one for each, or none. */
static enum status read_scale_and_bias(struct catboost_reader *r, const cJSON *model) {
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(model, "scale_and_bias");
    r->scale = 1;
    if (!pair)
        return STATUS_OK;
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 || !cJSON_IsNumber(pair->child))
        return wrong_scale(r);
    r->scale = pair->child->valuedouble;
    const cJSON *bias = pair->child->next;
    bool one = cJSON_IsNumber(bias);
    if (cJSON_IsNull(bias) || (cJSON_IsArray(bias) && !bias->child))
        return STATUS_OK;
    if (!one && (!cJSON_IsArray(bias) || (uint32_t)cJSON_GetArraySize(bias) != r->n_outputs))
        return wrong_scale(r);
    const cJSON *item = one ? bias : bias->child;
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        if (!cJSON_IsNumber(item))
            return wrong_scale(r);
        r->bias[i] = item->valuedouble;
        item = one ? item : item->next;
    }
    return STATUS_OK;
}

static enum status read_trees(struct catboost_reader *r, const cJSON *model) {
    const cJSON *trees = NULL;
    if (cJSON_GetObjectItemCaseSensitive(model, "trees"))
        return error_set(r->error, STATUS_UNSUPPORTED,
                         "%s: trees: trees that are not symmetric, should be oblivious_trees "
                         "(CatBoost's grow_policy=SymmetricTree)",
                         r->name);
    enum status status = json_get_array(r->name, model, "oblivious_trees", &trees, r->error);
    if (!status && !trees->child)
        status = error_set(r->error, STATUS_INPUT,
                           "%s: oblivious_trees: is empty, should have trees", r->name);
    if (!status)
        status = find_outputs(r, trees);
    if (!status)
        status = read_scale_and_bias(r, model);
    uint32_t number = 0;
    for (const cJSON *tree = status ? NULL : trees->child; tree && !status; tree = tree->next)
        status = read_tree(r, number++, tree);
    return status;
}

static enum status read_model(const char *name, const cJSON *model, struct ensemble **ensemble,
                              struct error *error) {
    struct catboost_reader r = {.name = name, .error = error};
    r.builder = ensemble_builder_create();
    enum status status = r.builder ? read_features(&r, model) : error_memory(error, "a model");
    if (!status)
        status = read_trees(&r, model);
    const struct ensemble_shape shape = {
        .n_features = r.n_columns, .n_outputs = r.n_outputs, .base = r.bias};
    if (!status)
        status = reader_finish(name, r.builder, &shape, ensemble, error);
    else
        ensemble_builder_free(r.builder);
    free(r.features);
    free(r.borders);
    free(r.bias);
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
    cJSON *model = NULL;
    const char *other = other_format(text, size);
    if (other)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s:1: a CatBoost model in %s, should be in JSON: "
                         "save_model(\"model.json\", format=\"json\")",
                         name, other);
    enum status status = json_parse(name, text, size, &model, error);
    if (!status)
        status = read_model(name, model, ensemble, error);
    cJSON_Delete(model);
    return status;
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
