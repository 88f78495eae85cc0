/* Reads the trees of XGBoost's JSON: objects of arrays with one value per node. */
#include "base/memory.h"
#include "models/xgboost/xgboost_json.h"

#include <string.h>

#define AT(member) .offset = offsetof(struct xgboost_json, member)
#define NODE(member) .read = read_column, .offset = offsetof(struct xgboost_node, member)

/* Reads the values of all nodes. The member's row has the place in a node. */
static enum status read_column(void *data, const struct json_member *member);

static const struct json_member tree_param_members[] = {
    JSON_REQUIRED(PARSED, "num_nodes", AT(said_nodes), .take = xgboost_json_parameter),
    JSON_OPTIONAL(PARSED, "size_leaf_vector", AT(leaf_size), .take = xgboost_json_parameter),
    JSON_SKIP_OTHERS};

/* The first rows are the columns. base_weights are only needed for leaf vectors in versions without
 * leaf_weights. */
static const struct json_member tree_members[] = {
    JSON_REQUIRED(READ, "left_children", NODE(left), .low = -1, .high = INT32_MAX),
    JSON_REQUIRED(READ, "right_children", NODE(right), .low = -1, .high = INT32_MAX),
    JSON_REQUIRED(READ, "split_indices", NODE(feature), .high = INT32_MAX),
    JSON_REQUIRED(READ, "split_conditions", NODE(number)),
    JSON_REQUIRED(READ, "default_left", NODE(default_left)),
    JSON_OPTIONAL(READ, "split_type", NODE(categorical)),
    JSON_OPTIONAL(U32S, "categories", AT(categories)),
    JSON_OPTIONAL(U32S, "categories_nodes", AT(set_nodes)),
    JSON_OPTIONAL(U32S, "categories_segments", AT(set_first)),
    JSON_OPTIONAL(U32S, "categories_sizes", AT(set_size)),
    JSON_REQUIRED(OBJECT, "tree_param", .members = tree_param_members),
    JSON_SKIPPED("id"),
    JSON_SKIPPED("parents"),
    JSON_OPTIONAL(LATER, "base_weights", AT(base_weights)),
    JSON_OPTIONAL(FLOATS, "leaf_weights", AT(leaf_weights),
                  .has = offsetof(struct xgboost_json, has_leaf_weights)),
    JSON_SKIPPED("loss_changes"),
    JSON_SKIPPED("sum_hessian"),
    JSON_SKIPPED("leaf_child_counts"),
    JSON_REFUSE_OTHERS};

static enum status read_column(void *data, const struct json_member *member) {
    static const enum json_member_type types[COLUMNS] = {MEMBER_I32,  MEMBER_I32,  MEMBER_U32,
                                                         MEMBER_REAL, MEMBER_FLAG, MEMBER_FLAG};
    struct xgboost_json *r = data;
    size_t *size = &r->column_size[member - tree_members];
    struct json_member in_node = *member;
    struct json_token token;
    in_node.type = types[member - tree_members];
    enum status status = json_begin(&r->json, member->name, JSON_ARRAY);
    for (; json_read_item(&r->json, &token, &status); ++*size) {
        if (*size == r->n_nodes) {
            if (!memory_grow((void **)&r->nodes, &r->nodes_capacity, *size, sizeof *r->nodes))
                return error_memory(r->json.error, "the nodes of a tree");
            r->nodes[r->n_nodes++] = (struct xgboost_node){0};
        }
        r->json.inner = (struct json_part){"node", *size};
        status = json_set_value(&r->json, &in_node, &token, &r->nodes[*size]);
    }
    r->json.inner.what = NULL;
    return status;
}

static enum status check_columns(const struct xgboost_json *r) {
    for (int c = 0; c < COLUMNS; c++) {
        bool is_absent = c == SPLIT_TYPE && r->column_size[c] == 0;
        if (!is_absent && r->column_size[c] != r->said_nodes)
            return json_fail(&r->json, "%s: length is %zu, expected %u (num_nodes)",
                             tree_members[c].name, r->column_size[c], r->said_nodes);
    }
    return STATUS_OK;
}

/* Assigns the sets to the categorical nodes. */
static enum status spread_categories(struct xgboost_json *r) {
    size_t n = r->set_nodes.count;
    if (r->set_first.count != n || r->set_size.count != n)
        return json_fail(&r->json, "categories_nodes, categories_segments and categories_sizes "
                                   "must have the same length");
    for (size_t i = 0; i < n; i++) {
        uint32_t number = r->set_nodes.u32[i];
        if (number >= r->n_nodes)
            return json_fail(&r->json,
                             "categories_nodes: node %u is out of range (the tree has %zu nodes)",
                             number, r->n_nodes);
        struct xgboost_node *node = &r->nodes[number];
        if (node->has_set)
            return json_fail(&r->json, "categories_nodes: duplicate node %u", number);
        node->has_set = true;
        node->set_first = r->set_first.u32[i];
        node->set_size = r->set_size.u32[i];
    }
    return STATUS_OK;
}

/* Finds the leaf vectors, if the tree has any. */
static enum status find_vectors(struct xgboost_json *r) {
    static const struct json_member vectors =
        JSON_REQUIRED(FLOATS, "base_weights", AT(leaf_weights));
    struct json_place here = json_stream_place(&r->json.stream);
    if (r->leaf_size <= 1 || r->has_leaf_weights)
        return STATUS_OK;
    if (!r->base_weights.at)
        return json_fail(&r->json, "leaf_weights: missing");
    json_stream_go(&r->json.stream, &r->base_weights);
    enum status status = json_read_member(&r->json, &vectors, r);
    json_stream_go(&r->json.stream, &here);
    return status;
}

static enum status add_tree(struct xgboost_json *r) {
    const struct xgboost_tree tree = {.nodes = r->nodes,
                                      .n_nodes = (uint32_t)r->n_nodes,
                                      .categories = r->categories.u32,
                                      .n_categories = r->categories.count,
                                      .leaf_size = r->leaf_size,
                                      .vectors = r->leaf_weights.real,
                                      .n_vectors = r->leaf_weights.count,
                                      .vectors_by_node = !r->has_leaf_weights};
    return xgboost_add_tree(&r->model, &tree);
}

enum status xgboost_json_tree(void *data) {
    struct xgboost_json *r = data;
    r->n_nodes = r->leaf_weights.count = 0;
    r->leaf_size = 1;
    r->has_leaf_weights = false;
    r->base_weights.at = NULL;
    memset(r->column_size, 0, sizeof r->column_size);
    r->categories.count = r->set_nodes.count = r->set_first.count = r->set_size.count = 0;
    r->json.part = (struct json_part){"tree", r->n_trees++};
    enum status status = json_read_members(&r->json, "", tree_members, r);
    if (!status)
        status = check_columns(r);
    if (!status)
        status = spread_categories(r);
    if (!status)
        status = find_vectors(r);
    if (!status)
        status = add_tree(r);
    r->json.part.what = NULL;
    return status;
}
