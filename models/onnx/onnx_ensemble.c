/* Reads the operator TreeEnsemble (ai.onnx.ml 5), which has a list of nodes, a list of leaves, and
 * the root of each tree. The lists are converted to the rows of the older operators, in which the
 * nodes of a tree are contiguous and breadth first. A node whose children are the same leaf becomes
 * that leaf. */
#include "models/onnx/onnx.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum list {
    ROOTS,
    FEATURES,
    TRUE_CHILD,
    TRUE_IS_LEAF,
    FALSE_CHILD,
    FALSE_IS_LEAF,
    TRACKS_TRUE,
    TARGETS,
    INTEGER_LISTS,
    TYPES = INTEGER_LISTS,
    SPLITS,
    LEAF_WEIGHTS,
    MEMBERS,
    LISTS
};
static const char *const list_names[LISTS] = {
    [ROOTS] = "tree_roots",
    [FEATURES] = "nodes_featureids",
    [TRUE_CHILD] = "nodes_truenodeids",
    [TRUE_IS_LEAF] = "nodes_trueleafs",
    [FALSE_CHILD] = "nodes_falsenodeids",
    [FALSE_IS_LEAF] = "nodes_falseleafs",
    [TRACKS_TRUE] = "nodes_missing_value_tracks_true",
    [TARGETS] = "leaf_targetids",
    [TYPES] = "nodes_modes",
    [SPLITS] = "nodes_splits",
    [LEAF_WEIGHTS] = "leaf_weights",
    [MEMBERS] = "membership_values",
};

enum { TYPE_MEMBER = 6 };

struct ensemble_reader {
    struct onnx_graph *g;
    struct memory_list lists[LISTS];
    uint64_t aggregate; /* 0: the average, 1: the sum */
    uint8_t *is_node_used, *is_leaf_used;
    uint32_t *set_of_node; /* [nodes] number of earlier nodes that test members */
    uint32_t *queue;       /* twice a node's number, or twice a leaf's number + 1 */
    size_t n_queued;
};

/* --- attributes ------------------------------------------------------------------------------- */

static enum status read_list(struct ensemble_reader *r, int list, struct protobuf_span attribute) {
    struct onnx_graph *g = r->g;
    struct protobuf_span tensor;
    if (r->lists[list].count)
        return onnx_fail(g, STATUS_INPUT, "%s: duplicate attribute", list_names[list]);
    if (list < INTEGER_LISTS)
        return onnx_read_integers(g, list_names[list], attribute, &r->lists[list]);
    enum status status = protobuf_find(&g->file, attribute, ATTRIBUTE_TENSOR, &tensor);
    if (!status && tensor.at)
        status = onnx_read_tensor(g, list_names[list], tensor, &r->lists[list]);
    return status;
}

static enum status read_attribute(struct ensemble_reader *r, struct protobuf_span attribute) {
    struct protobuf_span name;
    enum status status = protobuf_find(&r->g->file, attribute, ATTRIBUTE_NAME, &name);
    if (status || !name.at)
        return status;
    for (int list = 0; list < LISTS; list++)
        if (protobuf_is(name, list_names[list]))
            return read_list(r, list, attribute);
    if (protobuf_is(name, "n_targets"))
        return protobuf_integer(&r->g->file, attribute, ATTRIBUTE_INTEGER, &r->g->n_targets);
    if (protobuf_is(name, "aggregate_function"))
        return protobuf_integer(&r->g->file, attribute, ATTRIBUTE_INTEGER, &r->aggregate);
    return STATUS_OK; /* nodes_hitrates, post_transform */
}

static enum status check_lists(const struct ensemble_reader *r) {
    const struct onnx_graph *g = r->g;
    for (int list = 0; list < LISTS; list++) {
        bool of_leaves = list == TARGETS || list == LEAF_WEIGHTS;
        size_t count = r->lists[list].count;
        size_t expected = r->lists[of_leaves ? TARGETS : FEATURES].count;
        if (list == ROOTS || list == MEMBERS || (list == TRACKS_TRUE && count == 0) ||
            count == expected)
            continue;
        return onnx_fail(g, STATUS_INPUT, "%s: length is %zu, expected %zu", list_names[list],
                         count, expected);
    }
    if (r->aggregate > 1)
        return onnx_fail(g, STATUS_INPUT, "aggregate_function: expected 0 (AVERAGE) or 1 (SUM)");
    if (r->lists[FEATURES].count > UINT32_MAX / 2 || r->lists[TARGETS].count > UINT32_MAX / 2)
        return onnx_fail(g, STATUS_UNSUPPORTED, "the model has too many nodes");
    return STATUS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t item(const struct ensemble_reader *r, enum list list, uint32_t place) {
    return r->lists[list].u32[place];
}

/* Queues a node or a leaf. *number is set to the number that the node or leaf gets in the tree. */
static enum status queue(struct ensemble_reader *r, bool is_leaf, uint32_t place, size_t tree,
                         uint32_t *number) {
    uint8_t *used = is_leaf ? r->is_leaf_used : r->is_node_used;
    size_t count = r->lists[is_leaf ? TARGETS : FEATURES].count;
    if (place >= count || used[place])
        return onnx_fail(r->g, STATUS_INPUT, "tree %zu: %s %" PRIu32 " %s", tree,
                         is_leaf ? "leaf" : "node", place,
                         place >= count ? "does not exist" : "is the child of two nodes");
    used[place] = 1;
    *number = (uint32_t)r->n_queued;
    r->queue[r->n_queued++] = 2 * place + is_leaf;
    return STATUS_OK;
}

static enum status append_row(struct ensemble_reader *r, size_t tree, size_t number,
                              const uint32_t *row, double value) {
    struct onnx_graph *g = r->g;
    enum status status = onnx_append(g, "tree_roots", &g->lists[TREE_IDS], tree);
    if (!status)
        status = onnx_append(g, "tree_roots", &g->lists[NODE_IDS], number);
    for (int c = FEATURE_IDS; c <= MISSING_TRUE && !status; c++)
        if (c != VALUES)
            status = onnx_append(g, onnx_columns[c].name, &g->lists[c], row[c]);
    return status ? status : onnx_append_number(g, &g->lists[VALUES], value);
}

static enum status append_leaf(struct ensemble_reader *r, size_t tree, size_t number,
                               uint32_t leaf) {
    static const uint32_t row[COLUMNS] = {[NODE_MODES] = LEAF};
    struct onnx_graph *g = r->g;
    enum status status = append_row(r, tree, number, row, 0);
    if (!status)
        status = onnx_append(g, "tree_roots", &g->lists[WEIGHT_TREES], tree);
    if (!status)
        status = onnx_append(g, "tree_roots", &g->lists[WEIGHT_NODES], number);
    if (!status)
        status = onnx_append(g, "leaf_targetids", &g->lists[WEIGHT_IDS], item(r, TARGETS, leaf));
    if (!status)
        status = onnx_append_number(g, &g->lists[WEIGHTS], r->lists[LEAF_WEIGHTS].number[leaf]);
    return status;
}

static enum status append_node(struct ensemble_reader *r, size_t tree, size_t number,
                               uint32_t node) {
    static const uint32_t modes[] = {BRANCH_LEQ, BRANCH_LT,  BRANCH_GTE,   BRANCH_GT,
                                     BRANCH_EQ,  BRANCH_NEQ, BRANCH_MEMBER};
    enum { N_MODES = sizeof modes / sizeof *modes };
    double type = r->lists[TYPES].number[node], value = r->lists[SPLITS].number[node];
    uint32_t yes = item(r, TRUE_CHILD, node), no = item(r, FALSE_CHILD, node);
    uint32_t row[COLUMNS] = {[FEATURE_IDS] = item(r, FEATURES, node)};
    if (yes == no && item(r, TRUE_IS_LEAF, node) && item(r, FALSE_IS_LEAF, node))
        return yes < r->lists[TARGETS].count ? append_leaf(r, tree, number, yes)
                                             : queue(r, true, yes, tree, &row[TRUE_IDS]);
    if (!(type >= 0 && type < N_MODES))
        return onnx_fail(r->g, STATUS_UNSUPPORTED,
                         "nodes_modes: value %" PRIu32 " is %g, expected 0 to %d", node, type,
                         N_MODES - 1);
    row[NODE_MODES] = modes[(int)type];
    if (row[NODE_MODES] == BRANCH_MEMBER)
        value = (double)r->set_of_node[node];
    row[MISSING_TRUE] = r->lists[TRACKS_TRUE].count ? item(r, TRACKS_TRUE, node) : 0;
    enum status status = queue(r, item(r, TRUE_IS_LEAF, node), yes, tree, &row[TRUE_IDS]);
    if (!status)
        status = queue(r, item(r, FALSE_IS_LEAF, node), no, tree, &row[FALSE_IDS]);
    return status ? status : append_row(r, tree, number, row, value);
}

static enum status append_tree(struct ensemble_reader *r, size_t tree) {
    uint32_t root;
    r->n_queued = 0;
    enum status status = queue(r, false, item(r, ROOTS, (uint32_t)tree), tree, &root);
    for (size_t i = 0; i < r->n_queued && !status; i++)
        status = r->queue[i] % 2 ? append_leaf(r, tree, i, r->queue[i] / 2)
                                 : append_node(r, tree, i, r->queue[i] / 2);
    return status;
}

/* Finds the sets of members, in the order of the nodes that test them. Each set ends with a NaN. */
static enum status find_sets(struct ensemble_reader *r) {
    struct onnx_graph *g = r->g;
    const struct memory_list *members = &r->lists[MEMBERS];
    size_t n_nodes = r->lists[FEATURES].count, n_sets = 0, n_found = 0;
    r->set_of_node = memory_pool_array(&g->pool, n_nodes, sizeof *r->set_of_node);
    if (!r->set_of_node)
        return error_memory(g->error, "the nodes of a model");
    for (size_t i = 0; i < n_nodes; i++) {
        r->set_of_node[i] = (uint32_t)n_sets;
        n_sets += r->lists[TYPES].number[i] == TYPE_MEMBER;
    }
    g->member_sets = memory_pool_array(&g->pool, n_sets + 1, sizeof *g->member_sets);
    if (!g->member_sets)
        return error_memory(g->error, "the sets of a model");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < members->count && n_found < n_sets && !status; i++) {
        if (!isnan(members->number[i]))
            status = onnx_append_number(g, &g->members, members->number[i]);
        if (isnan(members->number[i]) || i + 1 == members->count)
            g->member_sets[++n_found] = g->members.count;
    }
    if (!status && n_found < n_sets)
        return onnx_fail(g, STATUS_INPUT, "membership_values: found %zu sets, expected %zu",
                         n_found, n_sets);
    return status;
}

static enum status append_trees(struct ensemble_reader *r) {
    struct memory_pool *pool = &r->g->pool;
    size_t n_nodes = r->lists[FEATURES].count, n_leaves = r->lists[TARGETS].count;
    r->is_node_used = memory_pool_array(pool, n_nodes, 1);
    r->is_leaf_used = memory_pool_array(pool, n_leaves, 1);
    r->queue = memory_pool_array(pool, n_nodes + n_leaves, sizeof *r->queue);
    if (pool->failed)
        return error_memory(r->g->error, "the nodes of a model");
    enum status status = find_sets(r);
    for (size_t t = 0; t < r->lists[ROOTS].count && !status; t++)
        status = append_tree(r, t);
    return status;
}

enum status onnx_read_ensemble(struct onnx_graph *g) {
    struct ensemble_reader r = {.g = g, .aggregate = 1};
    struct protobuf_span rest = g->trees;
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &rest, &field, &status))
        if (field.number == NODE_ATTRIBUTE && field.bytes.at)
            status = read_attribute(&r, field.bytes);
    if (!status)
        status = check_lists(&r);
    g->is_average = r.aggregate == 0;
    if (!status)
        status = append_trees(&r);
    for (int list = 0; list < LISTS; list++)
        free(r.lists[list].values);
    return status;
}
