#include "impls/plain/pred_nodes.h"

#include <stdlib.h>

static struct pred_node make_inner(const struct ensemble *e, size_t node, uint32_t left) {
    return (struct pred_node){node_feature(e, node), e->threshold[node], {left, left + 1}};
}

static struct pred_node make_leaf(uint32_t self) {
    return (struct pred_node){0, 0, {self, self}};
}

/* Fills in the nodes and the values of tree t. values[i - first_leaf] belongs to node i, and is
 * unused if node i is an inner node after the first leaf. `queue` has room for all nodes of the
 * tree. It holds inner nodes c >= 0 and leaves ~c, breadth first. Returns the number of nodes,
 * leaves included. */
static uint32_t place_tree(const struct ensemble *e, uint32_t t, int32_t *queue,
                           struct pred_node *nodes, double *values, struct pred_tree *tree) {
    uint32_t end = 1;
    uint32_t first_leaf = UINT32_MAX;
    queue[0] = ensemble_tree_nodes(e, t) ? 0 : ~0;
    for (uint32_t i = 0; i < end; i++) {
        double value = 0;
        if (queue[i] >= 0) {
            size_t node = e->tree_node[t] + (size_t)queue[i];
            nodes[i] = make_inner(e, node, end);
            queue[end++] = e->left[node];
            queue[end++] = e->right[node];
        } else {
            nodes[i] = make_leaf(i);
            value = e->value[e->tree_leaf[t] + (size_t)~queue[i]];
            if (first_leaf == UINT32_MAX)
                first_leaf = i;
        }
        if (first_leaf != UINT32_MAX)
            values[i - first_leaf] = value;
    }
    tree->nodes = nodes;
    tree->value = values;
    tree->first_leaf = first_leaf;
    return end;
}

enum status pred_nodes_build(struct pred_scorer *s, const struct ensemble *ensemble,
                             struct error *error) {
    size_t total = ensemble->n_nodes + ensemble->n_leaves;
    struct pred_sizes sizes = {total, sizeof(struct pred_node), total};
    int32_t *queue = malloc((ensemble_largest_tree(ensemble) + 1) * sizeof *queue);
    if (!queue || !pred_scorer_allocate(s, ensemble, &sizes)) {
        free(queue);
        return error_memory(error, "the nodes of all trees");
    }
    struct pred_node *nodes = s->nodes;
    double *values = s->values;
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        uint32_t count = place_tree(ensemble, t, queue, nodes, values, &s->trees[t]);
        nodes += count;
        values += count - s->trees[t].first_leaf;
    }
    /* `values` has room for a value per node, but nodes before a tree's first leaf need none. The
     * room that is left over does not count. */
    s->scorer.bytes = s->scorer.pool.bytes - (size_t)(s->values + total - values) * sizeof *values;
    free(queue);
    return STATUS_OK;
}
