#include "impls/planes/planes_model.h"

#include "base/memory.h"
#include "impls/shared/splits.h"

#include <inttypes.h>

enum {
    MAX_NODES = PLANES_MAX_LEAVES - 1, /* inner nodes of a piece */
    MAX_GROWTH = 4 /* most nodes of all pieces, as a multiple of the tree's leaves: with more
                      nodes, other implementations are faster */
};

static const double NOT_HERE = -0.0; /* the value of a leaf that replaces an omitted subtree */

bool planes_trees_fit(const struct ensemble *e) {
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (ensemble_tree_leaves(e, t) > PLANES_MAX_LEAVES ||
            (t && e->tree_output[t] < e->tree_output[t - 1]))
            return false;
    return true;
}

/* The state of cutting. Trees are cut one after the other. */
struct cutting {
    const struct ensemble *ensemble;
    struct ensemble_builder *builder;
    struct split *splits; /* one per inner node of the tree */
    uint32_t *depth;      /* depth of each leaf */
    uint32_t *starts;     /* for each leaf: number of inner nodes whose first leaf it is */
    uint32_t tree, n_leaves;
};

static void note_leaf(struct cutting *c, int32_t child, uint32_t depth) {
    if (child < 0)
        c->depth[~child] = depth;
}

static void begin_tree(struct cutting *c, uint32_t t) {
    const struct ensemble *e = c->ensemble;
    const int32_t *left = e->left + e->tree_node[t], *right = e->right + e->tree_node[t];
    c->tree = t;
    c->n_leaves = ensemble_tree_leaves(e, t);
    splits_find(e, t, c->splits);
    for (uint32_t leaf = 0; leaf < c->n_leaves; leaf++)
        c->depth[leaf] = c->starts[leaf] = 0;
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, t); i++) {
        c->starts[c->splits[i].first]++;
        note_leaf(c, left[i], c->splits[i].depth + 1);
        note_leaf(c, right[i], c->splits[i].depth + 1);
    }
}

/* Returns the end of the piece that begins with leaf `begin`. *n_nodes is the number of the piece's
 * inner nodes. The first leaf contributes all nodes above it. Each further leaf contributes the
 * nodes whose first leaf it is. */
static uint32_t end_of_piece(const struct cutting *c, uint32_t begin, size_t *n_nodes) {
    uint32_t end = begin + 1;
    *n_nodes = c->depth[begin];
    while (end < c->n_leaves && *n_nodes + c->starts[end] <= MAX_NODES)
        *n_nodes += c->starts[end++];
    return end;
}

static enum status check_pieces(const struct cutting *c, const char *impl, struct error *error) {
    size_t total = 0, allowed = (size_t)MAX_GROWTH * c->n_leaves, n_nodes;
    for (uint32_t begin = 0, end; begin < c->n_leaves; begin = end) {
        end = end_of_piece(c, begin, &n_nodes);
        total += n_nodes;
        if (n_nodes > MAX_NODES || total > allowed)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: tree %" PRIu32 " has %" PRIu32 " leaves and is %" PRIu32
                             " deep: too deep to be cut into trees of at most %d leaves. Use vpred",
                             impl, c->tree, c->n_leaves, c->ensemble->tree_depth[c->tree],
                             PLANES_MAX_LEAVES);
    }
    return STATUS_OK;
}

/* Does the subtree below a child have leaves in [begin, end)? */
static bool is_here(const struct cutting *c, int32_t child, uint32_t begin, uint32_t end) {
    uint32_t first = child < 0 ? (uint32_t)~child : c->splits[child].first;
    uint32_t last = child < 0 ? first + 1 : c->splits[child].last;
    return first < end && begin < last;
}

/* Adds the piece for the leaves [begin, end) to the builder, breadth first. `waiting` has the
 * children that are still to be added. */
static void add_piece(const struct cutting *c, uint32_t begin, uint32_t end) {
    const struct ensemble *e = c->ensemble;
    size_t nodes = e->tree_node[c->tree], leaves = e->tree_leaf[c->tree];
    int32_t waiting[2 * MAX_NODES + 1] = {c->n_leaves > 1 ? 0 : ~0};
    ensemble_builder_add_tree(c->builder, e->tree_output[c->tree]);
    for (uint32_t next = 0, count = 1; next < count; next++) {
        int32_t child = waiting[next];
        if (!is_here(c, child, begin, end)) {
            ensemble_builder_add_leaf(c->builder, NOT_HERE, ENSEMBLE_NO_COUNT);
        } else if (child < 0) {
            ensemble_builder_add_leaf(c->builder, e->value[leaves + (size_t)~child],
                                      ENSEMBLE_NO_COUNT);
        } else {
            size_t i = nodes + (size_t)child;
            struct inner_node node = ensemble_inner_node(e, i);
            node.left = count;
            node.right = count + 1;
            node.count = ENSEMBLE_NO_COUNT;
            ensemble_builder_add_inner(c->builder, &node);
            waiting[count++] = e->left[i];
            waiting[count++] = e->right[i];
        }
    }
}

static enum status cut_tree(struct cutting *c, uint32_t t, const char *impl, struct error *error) {
    begin_tree(c, t);
    enum status status = check_pieces(c, impl, error);
    if (status)
        return status;
    size_t n_nodes;
    for (uint32_t begin = 0, end; begin < c->n_leaves; begin = end) {
        end = end_of_piece(c, begin, &n_nodes);
        add_piece(c, begin, end);
    }
    return STATUS_OK;
}

static enum status cut_trees(struct cutting *c, const uint32_t *order, const char *impl,
                             struct error *error) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < c->ensemble->n_trees && !status; i++)
        status = cut_tree(c, order[i], impl, error);
    return status;
}

enum status planes_trees_make(const struct ensemble *e, const char *impl, struct ensemble **made,
                              struct error *error) {
    size_t most_leaves = ensemble_most_leaves(e, 0, e->n_trees);
    struct memory_pool pool = {0};
    struct cutting c = {.ensemble = e,
                        .builder = ensemble_builder_create(),
                        .splits = memory_pool_array(&pool, most_leaves, sizeof *c.splits),
                        .depth = memory_pool_array(&pool, most_leaves, sizeof *c.depth),
                        .starts = memory_pool_array(&pool, most_leaves, sizeof *c.starts)};
    size_t *begin = memory_pool_array(&pool, (size_t)e->n_outputs + 2, sizeof *begin);
    uint32_t *order = memory_pool_array(&pool, e->n_trees, sizeof *order);
    enum status status;
    if (c.builder && !pool.failed) {
        ensemble_sort_trees(e, begin, order);
        status = cut_trees(&c, order, impl, error);
    } else {
        status = error_memory(error, "the pieces of large trees");
    }
    memory_pool_free(&pool);
    if (status) {
        ensemble_builder_free(c.builder);
        return status;
    }
    const struct ensemble_shape shape = {
        .n_features = e->n_features, .n_outputs = e->n_outputs, .base = e->base};
    return ensemble_builder_finish(c.builder, &shape, made, error);
}
