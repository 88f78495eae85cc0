/* Reads the trees of XGBoost's JSON: objects of arrays with one value per node. */
#include "base/memory.h"
#include "models/xgboost/xgboost_walk.h"

#include <stdio.h>
#include <string.h>

static const char *const column_names[COLUMNS] = {"left_children", "right_children",
                                                  "split_indices", "split_conditions",
                                                  "default_left",  "split_type"};

static enum status wrong_node(const struct walk *w, enum column column, const char *expected) {
    return json_stream_error(w->stream, w->error, "tree %u, node %zu: %s: expected %s", w->n_trees,
                             w->column_size[column], column_names[column], expected);
}

static bool to_flag(const struct json_token *token, bool *flag) {
    bool is_number = token->kind == JSON_NUMBER && token->is_integer &&
                     (token->integer == 0 || token->integer == 1);
    *flag = token->kind == JSON_TRUE || (is_number && token->integer == 1);
    return is_number || token->kind == JSON_TRUE || token->kind == JSON_FALSE;
}

static bool to_integer(const struct json_token *token, int64_t low, int64_t high) {
    return token->kind == JSON_NUMBER && token->is_integer && token->integer >= low &&
           token->integer <= high;
}

static enum status set_node(struct walk *w, enum column column, const struct json_token *token,
                            struct xgboost_node *node) {
    switch (column) {
    case LEFT_CHILDREN:
    case RIGHT_CHILDREN:
        if (!to_integer(token, -1, INT32_MAX))
            return wrong_node(w, column, "a node or -1");
        *(column == LEFT_CHILDREN ? &node->left : &node->right) = (int32_t)token->integer;
        return STATUS_OK;
    case SPLIT_INDICES:
        if (!to_integer(token, 0, INT32_MAX))
            return wrong_node(w, column, "a feature");
        node->feature = (uint32_t)token->integer;
        return STATUS_OK;
    case SPLIT_CONDITIONS:
        node->number = token->real;
        return token->kind == JSON_NUMBER ? STATUS_OK : wrong_node(w, column, "a number");
    case DEFAULT_LEFT:
        return to_flag(token, &node->default_left) ? STATUS_OK
                                                   : wrong_node(w, column, "0, 1, true or false");
    case SPLIT_TYPE:
    default:
        return to_flag(token, &node->categorical)
                   ? STATUS_OK
                   : wrong_node(w, column, "0 (numeric) or 1 (categorical)");
    }
}

static enum status read_column(struct walk *w, enum column column) {
    enum status status = walk_array_begin(w, column_names[column]);
    size_t i = 0;
    for (; !status; i++) {
        struct json_token token;
        w->column_size[column] = i;
        if ((status = walk_next(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        if (i == w->n_nodes) {
            if (!memory_grow((void **)&w->nodes, &w->nodes_capacity, i, sizeof *w->nodes))
                return error_memory(w->error, "the nodes of a tree");
            w->nodes[w->n_nodes++] = (struct xgboost_node){0};
        }
        status = set_node(w, column, &token, &w->nodes[i]);
    }
    return status;
}

static enum status read_left_children(void *w) {
    return read_column(w, LEFT_CHILDREN);
}
static enum status read_right_children(void *w) {
    return read_column(w, RIGHT_CHILDREN);
}
static enum status read_split_indices(void *w) {
    return read_column(w, SPLIT_INDICES);
}
static enum status read_split_conditions(void *w) {
    return read_column(w, SPLIT_CONDITIONS);
}
static enum status read_default_left(void *w) {
    return read_column(w, DEFAULT_LEFT);
}
static enum status read_split_type(void *w) {
    return read_column(w, SPLIT_TYPE);
}
static enum status read_categories(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "categories", &w->categories);
}
static enum status read_categories_nodes(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "categories_nodes", &w->set_nodes);
}
static enum status read_categories_segments(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "categories_segments", &w->set_first);
}
static enum status read_categories_sizes(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "categories_sizes", &w->set_size);
}

static enum status read_num_nodes(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_nodes", &w->said_nodes);
}

static enum status read_size_leaf_vector(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "size_leaf_vector", &w->leaf_size);
}

static enum status read_leaf_weights(void *data) {
    struct walk *w = data;
    w->has_leaf_weights = true;
    return walk_float_list(w, "leaf_weights", &w->leaf_weights);
}

/* Remembers the position of base_weights. They are only needed for leaf vectors in versions without
 * leaf_weights. */
static enum status remember_base_weights(void *data) {
    struct walk *w = data;
    w->has_base_weights = true;
    w->base_weights = *w->stream;
    return json_stream_skip(w->stream, w->error);
}

static enum status read_tree_param(void *w) {
    static const struct json_stream_member members[] = {
        {"num_nodes", read_num_nodes, true},
        {"size_leaf_vector", read_size_leaf_vector, false},
    };
    return WALK_OBJECT(w, "tree_param", members, true);
}

static const struct json_stream_member tree_members[] = {
    {"left_children", read_left_children, true},
    {"right_children", read_right_children, true},
    {"split_indices", read_split_indices, true},
    {"split_conditions", read_split_conditions, true},
    {"default_left", read_default_left, true},
    {"split_type", read_split_type, false},
    {"categories", read_categories, false},
    {"categories_nodes", read_categories_nodes, false},
    {"categories_segments", read_categories_segments, false},
    {"categories_sizes", read_categories_sizes, false},
    {"tree_param", read_tree_param, true},
    {"id", NULL, false},
    {"parents", NULL, false},
    {"base_weights", remember_base_weights, false},
    {"leaf_weights", read_leaf_weights, false},
    {"loss_changes", NULL, false},
    {"sum_hessian", NULL, false},
    {"leaf_child_counts", NULL, false},
};

static enum status check_columns(const struct walk *w) {
    for (int c = 0; c < COLUMNS; c++) {
        bool is_absent = c == SPLIT_TYPE && w->column_size[c] == 0;
        if (!is_absent && w->column_size[c] != w->said_nodes)
            return json_stream_error(w->stream, w->error,
                                     "tree %u: %s: length is %zu, expected %u (num_nodes)",
                                     w->n_trees, column_names[c], w->column_size[c], w->said_nodes);
    }
    return STATUS_OK;
}

/* Assigns the sets to the categorical nodes. */
static enum status spread_categories(struct walk *w) {
    size_t n = w->set_nodes.count;
    if (w->set_first.count != n || w->set_size.count != n)
        return json_stream_error(w->stream, w->error,
                                 "tree %u: categories_nodes, categories_segments and "
                                 "categories_sizes must have the same length",
                                 w->n_trees);
    for (size_t i = 0; i < n; i++) {
        if (w->set_nodes.values[i] >= w->n_nodes)
            return json_stream_error(
                w->stream, w->error,
                "tree %u: categories_nodes: node %u is out of range (the tree has %zu nodes)",
                w->n_trees, w->set_nodes.values[i], w->n_nodes);
        struct xgboost_node *node = &w->nodes[w->set_nodes.values[i]];
        if (node->has_set)
            return json_stream_error(w->stream, w->error,
                                     "tree %u: categories_nodes: duplicate node %u", w->n_trees,
                                     w->set_nodes.values[i]);
        node->has_set = true;
        node->set_first = w->set_first.values[i];
        node->set_size = w->set_size.values[i];
    }
    return STATUS_OK;
}

/* Finds the leaf vectors, if the tree has any. */
static enum status find_vectors(struct walk *w) {
    struct json_stream *stream = w->stream;
    if (w->leaf_size <= 1 || w->has_leaf_weights)
        return STATUS_OK;
    if (!w->has_base_weights)
        return json_stream_error(w->stream, w->error, "tree %u: leaf_weights: missing", w->n_trees);
    w->stream = &w->base_weights;
    enum status status = walk_float_list(w, "base_weights", &w->leaf_weights);
    w->stream = stream;
    return status;
}

/* Reads a tree after its "{". */
static enum status read_tree(struct walk *w) {
    w->n_nodes = w->leaf_weights.count = 0;
    w->leaf_size = 1;
    w->has_leaf_weights = w->has_base_weights = false;
    memset(w->column_size, 0, sizeof w->column_size);
    w->categories.count = w->set_nodes.count = w->set_first.count = w->set_size.count = 0;
    char where[32];
    snprintf(where, sizeof where, "tree %u: ", w->n_trees);
    enum status status =
        json_stream_members(w->stream, where, tree_members,
                            sizeof tree_members / sizeof *tree_members, false, w, w->error);
    if (!status)
        status = check_columns(w);
    if (!status)
        status = spread_categories(w);
    if (!status)
        status = find_vectors(w);
    if (!status) {
        const struct xgboost_tree tree = {.nodes = w->nodes,
                                          .n_nodes = (uint32_t)w->n_nodes,
                                          .categories = w->categories.values,
                                          .n_categories = w->categories.count,
                                          .leaf_size = w->leaf_size,
                                          .vectors = w->leaf_weights.values,
                                          .n_vectors = w->leaf_weights.count,
                                          .vectors_by_node = !w->has_leaf_weights};
        status = xgboost_add_tree(w->model, &tree, w->error);
    }
    w->n_trees++;
    return status;
}

enum status walk_trees(void *w) {
    enum status status = walk_array_begin(w, "trees");
    while (!status) {
        struct json_token token;
        if ((status = walk_next(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = token.kind == JSON_OBJECT ? read_tree(w)
                                           : walk_wrong(w, "trees", "an array of objects");
    }
    return status;
}
