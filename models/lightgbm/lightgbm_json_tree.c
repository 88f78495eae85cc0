/* The nested trees of LightGBM's dumps. */
#include "models/lightgbm/lightgbm_json.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

/* dump_model writes infinite thresholds, and all others beyond this, as this number. */
static const double LARGEST = 1e300;

static enum status next_token(struct lightgbm_json *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->model.error);
}

static struct dump_split *current(struct lightgbm_json *r) {
    return &r->splits[nested_tree_number(&r->tree)];
}

static enum status begin_node(void *data) {
    struct lightgbm_json *r = data;
    size_t number = r->tree.n_nodes - 1;
    if (!memory_grow((void **)&r->splits, &r->splits_capacity, number, sizeof *r->splits))
        return error_memory(r->model.error, "the nodes of a tree");
    r->splits[number] = (struct dump_split){0};
    return STATUS_OK;
}

/* --- thresholds ------------------------------------------------------------------------------- */

static enum status add_category(struct lightgbm_json *r, uint32_t category) {
    struct dump_split *split = current(r);
    if (!memory_grow((void **)&r->categories_of_tree, &r->categories_capacity, r->n_categories,
                     sizeof *r->categories_of_tree))
        return error_memory(r->model.error, "the categories of a tree");
    r->categories_of_tree[r->n_categories++] = category;
    split->n_categories++;
    return STATUS_OK;
}

/* Reads categories such as "0||3||4". */
static enum status read_categories(struct lightgbm_json *r, const struct json_token *token) {
    const char *at = token->text, *end = at + token->size;
    struct dump_split *split = current(r);
    int64_t last = -1;
    split->has_set = true;
    split->first_category = r->n_categories;
    while (at < end) {
        uint32_t category = 0;
        at = number_parse_u32(at, end, &category);
        if (!at || category > INT32_MAX || category <= last || (at < end && end - at < 3) ||
            (at < end && memcmp(at, "||", 2) != 0))
            return nested_tree_wrong(&r->tree, "threshold",
                                     "increasing categories, such as \"0||3||4\"");
        last = category;
        at += at < end ? 2 : 0;
        enum status status = add_category(r, category);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static enum status read_threshold(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    double threshold;
    enum status status = next_token(r, &token);
    if (status || token.kind == JSON_STRING)
        return status ? status : read_categories(r, &token);
    if (!json_token_double(&token, &threshold))
        return nested_tree_wrong(&r->tree, "threshold", "a finite number or categories");
    if (fabs(threshold) >= LARGEST) {
        json_stream_error(&r->stream, r->model.error,
                          "tree %u, node %u: the threshold %g may stand for infinity, because "
                          "dump_model writes both alike. " LIGHTGBM_USE_TEXT,
                          r->tree.tree, nested_tree_number(&r->tree), threshold);
        return STATUS_UNSUPPORTED;
    }
    nested_tree_node(&r->tree)->split.threshold = threshold;
    return STATUS_OK;
}

/* --- other members of a node ------------------------------------------------------------------ */

static enum status read_feature(void *data) {
    struct lightgbm_json *r = data;
    int64_t feature = 0;
    enum status status =
        nested_tree_integer(&r->tree, "split_feature", r->model.n_features - 1, &feature);
    nested_tree_node(&r->tree)->split.feature = (uint32_t)feature;
    return status;
}

static enum status read_decision(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (json_token_is(&token, "=="))
        current(r)->bits |= LIGHTGBM_CATEGORICAL;
    else if (!json_token_is(&token, "<="))
        return nested_tree_wrong(&r->tree, "decision_type", "\"<=\" or \"==\"");
    return STATUS_OK;
}

static enum status read_default(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_TRUE && token.kind != JSON_FALSE)
        status = nested_tree_wrong(&r->tree, "default_left", "true or false");
    if (!status && token.kind == JSON_TRUE)
        current(r)->bits |= LIGHTGBM_DEFAULT_LEFT;
    return status;
}

static enum status read_missing(void *data) {
    static const char *const types[] = {[LIGHTGBM_MISSING_NONE] = "None",
                                        [LIGHTGBM_MISSING_ZERO] = "Zero",
                                        [LIGHTGBM_MISSING_NAN] = "NaN"};
    struct lightgbm_json *r = data;
    struct json_token token;
    unsigned type = 0;
    enum status status = next_token(r, &token);
    while (!status && type <= LIGHTGBM_MISSING_NAN && !json_token_is(&token, types[type]))
        type++;
    if (!status && type > LIGHTGBM_MISSING_NAN)
        status = nested_tree_wrong(&r->tree, "missing_type", "\"None\", \"Zero\" or \"NaN\"");
    current(r)->bits |= type << LIGHTGBM_MISSING_SHIFT;
    return status;
}

static enum status read_count(struct lightgbm_json *r, const char *key) {
    int64_t count = 0;
    enum status status = nested_tree_integer(&r->tree, key, INT32_MAX, &count);
    nested_tree_node(&r->tree)->split.count = (uint64_t)count;
    return status;
}

static enum status read_internal_count(void *data) {
    return read_count(data, "internal_count");
}

static enum status read_leaf_count(void *data) {
    return read_count(data, "leaf_count");
}

static enum status read_value(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && !json_token_double(&token, &nested_tree_node(&r->tree)->value))
        status = nested_tree_wrong(&r->tree, "leaf_value", "a finite number");
    return status;
}

static enum status refuse_linear(void *data) {
    struct lightgbm_json *r = data;
    json_stream_error(&r->stream, r->model.error, "tree %u is " LIGHTGBM_LINEAR, r->tree.tree);
    return STATUS_UNSUPPORTED;
}

static const struct nested_member members[] = {
    {"leaf_value", read_value, false, true, true},
    {"split_feature", read_feature, true, false, true},
    {"threshold", read_threshold, true, false, true},
    {"decision_type", read_decision, true, false, true},
    {"default_left", read_default, true, false, true},
    {"missing_type", read_missing, true, false, true},
    {"internal_count", read_internal_count, true, false, false},
    {"leaf_count", read_leaf_count, false, true, false},
    {"leaf_const", refuse_linear, false, true, false},
    {"split_index", NULL, true, false, false},
    {"split_gain", NULL, true, false, false},
    {"internal_value", NULL, true, false, false},
    {"internal_weight", NULL, true, false, false},
    {"leaf_index", NULL, false, true, false},
    {"leaf_weight", NULL, false, true, false},
};
static const struct nested_format format = {members, sizeof members / sizeof *members, "left_child",
                                            "right_child", begin_node};

/* --- trees ------------------------------------------------------------------------------------ */

static bool make_split(struct lightgbm_json *r, size_t node) {
    const struct dump_split *split = &r->splits[node];
    if (!split->has_set)
        return lightgbm_split_numbers(&r->model.split, split->bits,
                                      r->tree.nodes[node].split.threshold);
    lightgbm_split_nothing(&r->model.split);
    for (size_t i = 0; i < split->n_categories; i++)
        if (!lightgbm_split_category(&r->model.split,
                                     r->categories_of_tree[split->first_category + i]))
            return false;
    return true;
}

static enum status add_node(struct lightgbm_json *r, size_t i) {
    struct nested_node *node = &r->tree.nodes[i];
    bool is_categorical = r->splits[i].bits & LIGHTGBM_CATEGORICAL;
    if (!node->split.left) {
        lightgbm_add_leaf(&r->model, node->value, node->split.count);
        return STATUS_OK;
    }
    if (is_categorical != r->splits[i].has_set)
        return json_stream_error(&r->stream, r->model.error,
                                 "tree %u, node %zu: threshold: expected %s", r->tree.tree, i,
                                 is_categorical ? "categories" : "a number");
    return make_split(r, i) ? lightgbm_add_split(&r->model, &node->split)
                            : error_memory(r->model.error, "the splits of a tree");
}

enum status lightgbm_json_tree(struct lightgbm_json *r) {
    r->tree.stream = &r->stream;
    r->tree.error = r->model.error;
    r->tree.format = &format;
    r->tree.data = r;
    r->tree.tree = r->model.n_trees;
    r->n_categories = 0;
    enum status status = nested_tree_read(&r->tree);
    if (status)
        return status;
    lightgbm_begin_tree(&r->model);
    for (size_t i = 0; i < r->tree.n_nodes && !status; i++)
        status = add_node(r, i);
    return status;
}
