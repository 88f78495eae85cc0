#include "impls/plain/pred_heap_nodes.h"

#include <stdlib.h>

static uint32_t inner_count(uint32_t depth) {
    return (UINT32_C(1) << depth) - 1;
}

/* Fills in the heap of tree t. `place` is temporary memory, with an element per node and leaf of
 * the heap. It receives what is at each position: inner node c if c >= 0, leaf ~c if c < 0. At a
 * dummy node, that is the leaf that the dummy node replaces. */
static void place_tree(const struct ensemble *e, uint32_t t, int32_t *place,
                       struct pred_heap_node *nodes, double *values, struct pred_tree *tree) {
    uint32_t inner = inner_count(tree->depth);
    place[0] = ensemble_tree_nodes(e, t) ? 0 : ~0;
    for (uint32_t i = 0; i < inner; i++) {
        int32_t left = place[i];
        int32_t right = place[i];
        nodes[i] = (struct pred_heap_node){0, 0};
        if (place[i] >= 0) {
            size_t node = e->tree_node[t] + (size_t)place[i];
            nodes[i] = (struct pred_heap_node){node_feature(e, node), e->threshold[node]};
            left = e->left[node];
            right = e->right[node];
        }
        place[2 * i + 1] = left;
        place[2 * i + 2] = right;
    }
    for (uint32_t leaf = 0; leaf <= inner; leaf++)
        values[leaf] = e->value[e->tree_leaf[t] + (size_t)~place[inner + leaf]];
    tree->nodes = nodes;
    tree->value = values;
    tree->first_leaf = inner;
}

static enum status compute_sizes(const struct ensemble *e, struct pred_sizes *sizes,
                                 uint32_t *deepest, struct error *error) {
    *sizes = (struct pred_sizes){0, sizeof(struct pred_heap_node), 0};
    *deepest = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t depth = e->tree_depth[t];
        if (depth > PRED_HEAP_MAX_DEPTH)
            return error_set(error, STATUS_UNSUPPORTED,
                             "tree %u: depth %u with %u leaves would be a heap of 2^%u leaves; "
                             "the limit is depth %d. Use pred or vpred",
                             t, depth, ensemble_tree_leaves(e, t), depth, PRED_HEAP_MAX_DEPTH);
        sizes->nodes += inner_count(depth);
        sizes->values += (size_t)inner_count(depth) + 1;
        size_t bytes = sizes->nodes * sizes->node_size + sizes->values * sizeof(double);
        if (bytes > PRED_HEAP_MAX_BYTES)
            return error_set(error, STATUS_UNSUPPORTED,
                             "tree %u: depth %u brings the heaps to %zu bytes for %u trees of %u; "
                             "the limit is %zu. Use pred or vpred",
                             t, depth, bytes, t + 1, e->n_trees, PRED_HEAP_MAX_BYTES);
        *deepest = depth > *deepest ? depth : *deepest;
    }
    return STATUS_OK;
}

enum status pred_heap_nodes_build(struct pred_scorer *s, const struct ensemble *ensemble,
                                  struct error *error) {
    struct pred_sizes sizes;
    uint32_t deepest;
    enum status status = compute_sizes(ensemble, &sizes, &deepest, error);
    if (status)
        return status;
    int32_t *place = malloc(((size_t)2 << deepest) * sizeof *place);
    if (!place || !pred_scorer_allocate(s, ensemble, &sizes)) {
        free(place);
        return error_memory(error, "the nodes of all trees");
    }
    struct pred_heap_node *nodes = s->nodes;
    double *values = s->values;
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        place_tree(ensemble, t, place, nodes, values, &s->trees[t]);
        nodes += s->trees[t].first_leaf;
        values += (size_t)s->trees[t].first_leaf + 1;
    }
    free(place);
    return STATUS_OK;
}
