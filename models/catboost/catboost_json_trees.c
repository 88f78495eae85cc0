/* Reads the trees of CatBoost's JSON. catboost_json.c has an example of oblivious trees. Other
 * trees (grow_policy=Depthwise, Lossguide) are nested:
 *
 *     "trees": [{"split": {"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5,
 *                          "split_index": 0},
 *                "left": {"value": 1.5, "weight": 10},
 *                "right": {"split": ..., "left": ..., "right": ...}}, ...]
 *
 * A document goes right if x > border. If there are several outputs, the value of a leaf is an
 * array. */
#include "models/catboost/catboost_json.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- splits ----------------------------------------------------------------------------------- */

static enum status read_split_type(void *data) {
    static const char *const kinds[] = {"FloatFeature", "OneHotFeature", "OnlineCtr"};
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_STRING)
        status = catboost_json_wrong(r, "split_type", "a string");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++) {
        r->split.kind = (enum json_split_kind)i;
        if (json_token_is(&token, kinds[i]))
            return STATUS_OK;
    }
    if (status)
        return status;
    json_stream_error(&r->stream, r->error, "%ssplit_type: the tree tests \"%.*s\"" CATBOOST_ONLY,
                      r->where, (int)(token.size < 40 ? token.size : 40), token.text);
    return STATUS_UNSUPPORTED;
}

static enum status read_split_feature(void *data) {
    struct catboost_json *r = data;
    r->split.has_feature = true;
    return catboost_json_u32(r, "float_feature_index", ENSEMBLE_MAX_FEATURES - 1,
                             &r->split.feature);
}

static enum status read_split_category(void *data) {
    struct catboost_json *r = data;
    r->split.has_category = true;
    return catboost_json_u32(r, "cat_feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->split.feature);
}

static enum status read_split_hash(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    r->split.has_hash = true;
    return status ? status : catboost_json_hash(r, &token, "value", &r->split.hash);
}

static enum status read_split_place(void *data) {
    struct catboost_json *r = data;
    return catboost_json_u32(r, "split_index", UINT32_MAX, &r->split.place);
}

static enum status read_split_border(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && (token.kind != JSON_NUMBER || !isfinite(token.real)))
        return json_stream_error(&r->stream, r->error,
                                 "%sborder: expected a number in the range of float32", r->where);
    r->split.has_border = true;
    r->split.border = token.real;
    return status;
}

static enum status wrong_place(const struct catboost_json *r, const char *of) {
    return json_stream_error(&r->stream, r->error,
                             "%ssplit_index: %" PRIu32 " is not the number of this %s's bin",
                             r->where, r->split.place, of);
}

/* Checks that a category's split names the bin of its hash. */
static enum status check_category_split(const struct catboost_json *r) {
    const struct json_split *split = &r->split;
    const struct catboost_model *model = &r->model;
    size_t hash = split->place - model->floats.n_bins;
    bool is_right = split->place >= model->floats.n_bins && hash < model->n_hashes &&
                    model->hashes[hash] == split->hash &&
                    catboost_find_category(model, hash)->index == split->feature;
    return is_right ? STATUS_OK : wrong_place(r, "value");
}

static enum status check_float_split(const struct catboost_json *r) {
    const struct json_split *split = &r->split;
    const struct catboost_feature *feature = catboost_find_feature(&r->model, split->feature);
    if (!feature)
        return json_stream_error(&r->stream, r->error,
                                 "%sfloat_feature_index: there is no float feature %" PRIu32,
                                 r->where, split->feature);
    bool is_right = split->place >= feature->first_bin &&
                    split->place - feature->first_bin < feature->n_bins &&
                    r->model.floats.borders[split->place] == split->border;
    return is_right ? STATUS_OK : wrong_place(r, "border");
}

static enum status check_ctr_split(const struct catboost_json *r) {
    const struct json_split *split = &r->split;
    const struct catboost_borders *list = &r->model.statistics;
    size_t first = catboost_first_ctr_bin(&r->model);
    bool is_right = split->place >= first && split->place - first < list->n_bins &&
                    list->borders[split->place - first] == split->border;
    return is_right ? STATUS_OK : wrong_place(r, "border");
}

static enum status check_split(const struct catboost_json *r) {
    static enum status (*const checks[])(const struct catboost_json *r) = {
        check_float_split, check_category_split, check_ctr_split};
    const struct json_split *split = &r->split;
    bool is_category = split->kind == SPLIT_CATEGORY;
    if (split->has_feature != (split->kind == SPLIT_FLOAT) || split->has_category != is_category ||
        (is_category ? !split->has_hash : !split->has_border))
        return json_stream_error(
            &r->stream, r->error,
            "%sexpected float_feature_index and border, or cat_feature_index and value", r->where);
    return checks[split->kind](r);
}

/* Reads the rest of a split and sets r->split.place to its bin. */
static enum status read_split(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"split_type", read_split_type, true},
        {"float_feature_index", read_split_feature, false},
        {"cat_feature_index", read_split_category, false},
        {"value", read_split_hash, false},
        {"split_index", read_split_place, true},
        {"border", read_split_border, false},
    };
    r->split = (struct json_split){.place = 0};
    enum status status = CATBOOST_JSON_MEMBERS(r, members);
    return status ? status : check_split(r);
}

/* --- leaves ----------------------------------------------------------------------------------- */

static enum status add_leaf_value(struct catboost_json *r, const char *key,
                                  const struct json_token *token) {
    double value;
    if (!json_token_double(token, &value))
        return json_stream_error(&r->stream, r->error, "%s%s: value %zu is not a finite number",
                                 r->where, key, r->leaves.count);
    return catboost_add_value(&r->leaves, value) ? STATUS_OK
                                                 : error_memory(r->error, "a list of a model");
}

/* Reads the rest of an array. */
static enum status read_leaf_values(struct catboost_json *r, const char *key) {
    struct json_token token;
    enum status status = STATUS_OK;
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END)
        status = add_leaf_value(r, key, &token);
    return status;
}

static void name_tree(struct catboost_json *r) {
    snprintf(r->where, sizeof r->where, "tree %" PRIu32 ": ", r->tree);
}

static enum status complete_bias(struct catboost_json *r) {
    struct error inner;
    enum status status = catboost_begin_trees(&r->model, &inner);
    if (status)
        r->where[0] = '\0';
    return catboost_json_place(r, status, "scale_and_bias: ", &inner);
}

/* --- oblivious trees -------------------------------------------------------------------------- */

static enum status read_oblivious_split(struct catboost_json *r) {
    if (r->depth == CATBOOST_MAX_DEPTH)
        return json_stream_error(&r->stream, r->error, "%ssplits: more than %d", r->where,
                                 CATBOOST_MAX_DEPTH);
    snprintf(r->where, sizeof r->where, "tree %" PRIu32 ", split %" PRIu32 ": ", r->tree, r->depth);
    enum status status = read_split(r);
    if (status)
        return status;
    r->bins[r->depth++] = r->split.place;
    name_tree(r);
    return STATUS_OK;
}

static enum status read_splits(void *data) {
    return catboost_json_objects(data, "splits", true, read_oblivious_split);
}

static enum status read_leaves(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_list(r, "leaf_values", false, &token);
    return status ? status : read_leaf_values(r, "leaf_values");
}

/* The first tree determines the number of outputs. */
static enum status find_outputs(struct catboost_json *r) {
    size_t outputs = r->leaves.count >> r->depth;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS)
        return json_stream_error(&r->stream, r->error,
                                 "%sleaf_values: length %zu is not a multiple of %u", r->where,
                                 r->leaves.count, 1U << r->depth);
    r->model.n_outputs = (uint32_t)outputs;
    return complete_bias(r);
}

static enum status read_oblivious_tree(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"splits", read_splits, true},
        {"leaf_values", read_leaves, true},
    };
    r->depth = 0;
    r->leaves.count = 0;
    name_tree(r);
    enum status status = CATBOOST_JSON_MEMBERS(r, members);
    if (!status && !r->model.n_outputs)
        status = find_outputs(r);
    if (status)
        return status;
    size_t expected = ((size_t)1 << r->depth) * r->model.n_outputs;
    if (r->leaves.count != expected)
        return json_stream_error(&r->stream, r->error,
                                 "%sleaf_values: length is %zu, expected %zu (splits: %" PRIu32
                                 ", outputs: %" PRIu32 ")",
                                 r->where, r->leaves.count, expected, r->depth, r->model.n_outputs);
    catboost_add_oblivious(&r->model, r->depth, r->bins, r->leaves.values);
    r->tree++;
    r->where[0] = '\0';
    return STATUS_OK;
}

/* --- trees that are not symmetric ------------------------------------------------------------- */

static void name_node(struct catboost_json *r, size_t node) {
    snprintf(r->where, sizeof r->where, "tree %" PRIu32 ", node %zu: ", r->tree, node);
}

static enum status begin_node(struct catboost_json *r, size_t parent) {
    if (!memory_grow((void **)&r->nodes, &r->nodes_capacity, r->n_nodes, sizeof *r->nodes) ||
        !memory_grow((void **)&r->states, &r->states_capacity, r->n_nodes, sizeof *r->states))
        return error_memory(r->error, "the nodes of a model");
    r->nodes[r->n_nodes] = (struct catboost_node){0};
    r->states[r->n_nodes] = (struct json_node){.parent = (uint32_t)parent};
    name_node(r, r->n_nodes++);
    return STATUS_OK;
}

/* Reads what follows "left" or "right", up to the "{". *current becomes the child. */
static enum status begin_child(struct catboost_json *r, const char *key, bool is_left,
                               size_t *current) {
    struct json_token token;
    struct catboost_node *node = &r->nodes[*current];
    uint32_t *child = is_left ? &node->under : &node->over;
    enum status status = catboost_json_next(r, &token);
    if (!status && (token.kind != JSON_OBJECT || *child))
        status = catboost_json_wrong(r, key, "a single object");
    if (status)
        return status;
    *child = (uint32_t)r->n_nodes;
    status = begin_node(r, *current);
    *current = r->n_nodes - 1;
    return status;
}

static enum status read_node_split(struct catboost_json *r, size_t current) {
    struct json_node *state = &r->states[current];
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && (token.kind != JSON_OBJECT || state->has_split))
        status = catboost_json_wrong(r, "split", "a single object");
    if (!status)
        status = read_split(r);
    state->has_split = true;
    r->nodes[current].bin = r->split.place;
    return status;
}

/* Reads a number or an array of numbers. The first leaf determines the number of outputs. */
static enum status read_value(struct catboost_json *r, size_t current) {
    struct json_node *state = &r->states[current];
    size_t first = r->leaves.count;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status)
        status = token.kind == JSON_ARRAY ? read_leaf_values(r, "value")
                                          : add_leaf_value(r, "value", &token);
    if (status)
        return status;
    size_t outputs = r->leaves.count - first;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS || state->has_value ||
        (r->model.n_outputs && outputs != r->model.n_outputs))
        return catboost_json_wrong(r, "value", "one number per output, as in the first leaf");
    state->has_value = true;
    r->nodes[current].value = first;
    if (r->model.n_outputs)
        return STATUS_OK;
    r->model.n_outputs = (uint32_t)outputs;
    return complete_bias(r);
}

static enum status end_node(struct catboost_json *r, size_t *current) {
    const struct json_node *state = &r->states[*current];
    const struct catboost_node *node = &r->nodes[*current];
    bool is_inner = state->has_split && node->over && node->under;
    bool is_leaf = state->has_value && !state->has_split && !node->over && !node->under;
    if (is_inner == state->has_value || is_inner == is_leaf)
        return json_stream_error(&r->stream, r->error,
                                 "%sexpected split, left and right, or a value", r->where);
    *current = state->parent;
    name_node(r, *current);
    return STATUS_OK;
}

static enum status read_member(struct catboost_json *r, const struct json_token *key,
                               size_t *current) {
    if (json_token_is(key, "left") || json_token_is(key, "right")) {
        bool is_left = json_token_is(key, "left");
        return begin_child(r, is_left ? "left" : "right", is_left, current);
    }
    if (json_token_is(key, "split"))
        return read_node_split(r, *current);
    if (json_token_is(key, "value"))
        return read_value(r, *current);
    return json_stream_skip(&r->stream, r->error);
}

/* Reads a tree without recursion, so that a deep tree needs no deep stack. The root is its own
 * parent. */
static enum status read_other_tree(struct catboost_json *r) {
    size_t current = 0;
    bool is_open = true;
    r->n_nodes = 0;
    r->leaves.count = 0;
    enum status status = begin_node(r, 0);
    while (!status && is_open) {
        struct json_token token;
        if ((status = catboost_json_next(r, &token)))
            continue;
        if (token.kind == JSON_OBJECT_END) {
            is_open = current != 0;
            status = end_node(r, &current);
        } else {
            status = read_member(r, &token, &current);
        }
    }
    if (status)
        return status;
    catboost_add_tree(&r->model, r->nodes, (uint32_t)r->n_nodes, r->leaves.values);
    r->tree++;
    r->where[0] = '\0';
    return STATUS_OK;
}

enum status catboost_json_trees(struct catboost_json *r) {
    return r->is_oblivious ? catboost_json_objects(r, "oblivious_trees", false, read_oblivious_tree)
                           : catboost_json_objects(r, "trees", false, read_other_tree);
}
