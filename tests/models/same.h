/* Are two ensembles equal, bit for bit? For tests and fuzz targets. */
#ifndef TESTS_MODELS_SAME_H
#define TESTS_MODELS_SAME_H

#include "models/ensemble.h"

#include <string.h>

static inline bool same_bytes(const void *a, const void *b, size_t count, size_t size) {
    if (!a || !b)
        return a == b;
    return memcmp(a, b, count * size) == 0;
}

/* Readers number sets in file order, so the sets of each node are compared. */
static inline bool same_sets(const struct ensemble *a, const struct ensemble *b) {
    if (a->n_sets != b->n_sets)
        return false;
    for (size_t i = 0; i < a->n_nodes; i++) {
        if (ensemble_is_set(a, i) != ensemble_is_set(b, i))
            return false;
        if (!ensemble_is_set(a, i))
            continue;
        const size_t *of_a = &a->set_cut[a->set[i]], *of_b = &b->set_cut[b->set[i]];
        if (of_a[1] - of_a[0] != of_b[1] - of_b[0] ||
            !same_bytes(a->cut_double + of_a[0], b->cut_double + of_b[0], of_a[1] - of_a[0],
                        sizeof *a->cut_double))
            return false;
    }
    return true;
}

static inline bool same_ensemble(const struct ensemble *a, const struct ensemble *b) {
    return a->n_features == b->n_features && a->n_outputs == b->n_outputs && a->votes == b->votes &&
           a->n_trees == b->n_trees && a->n_nodes == b->n_nodes && a->n_leaves == b->n_leaves &&
           a->any_nan_left == b->any_nan_left &&
           same_bytes(a->tree_node, b->tree_node, a->n_trees + 1, sizeof *a->tree_node) &&
           same_bytes(a->tree_leaf, b->tree_leaf, a->n_trees + 1, sizeof *a->tree_leaf) &&
           same_bytes(a->tree_output, b->tree_output, a->n_trees, sizeof *a->tree_output) &&
           same_bytes(a->tree_depth, b->tree_depth, a->n_trees, sizeof *a->tree_depth) &&
           same_bytes(a->feature, b->feature, a->n_nodes, sizeof *a->feature) &&
           same_bytes(a->threshold, b->threshold, a->n_nodes, sizeof *a->threshold) &&
           same_bytes(a->left, b->left, a->n_nodes, sizeof *a->left) &&
           same_bytes(a->right, b->right, a->n_nodes, sizeof *a->right) &&
           same_bytes(a->nan_left, b->nan_left, a->n_nodes, sizeof *a->nan_left) &&
           same_bytes(a->threshold_double, b->threshold_double, a->n_nodes,
                      sizeof *a->threshold_double) &&
           same_sets(a, b) && same_bytes(a->value, b->value, a->n_leaves, sizeof *a->value) &&
           same_bytes(a->node_count, b->node_count, a->n_nodes, sizeof *a->node_count) &&
           same_bytes(a->leaf_count, b->leaf_count, a->n_leaves, sizeof *a->leaf_count) &&
           same_bytes(a->base, b->base, a->n_outputs, sizeof *a->base);
}

#endif
