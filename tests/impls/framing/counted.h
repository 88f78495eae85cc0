/* Ensembles whose nodes know how many documents passed them. For test programs: static functions.
 */
#ifndef TESTS_IMPLS_FRAMING_COUNTED_H
#define TESTS_IMPLS_FRAMING_COUNTED_H

#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stdlib.h>

/* Counts the rows that reach each node and leaf, as a learner would have. */
static void count_rows(struct ensemble *e, const struct matrix *rows) {
    e->node_count = calloc(e->n_nodes + 1, sizeof *e->node_count);
    e->leaf_count = calloc(e->n_leaves + 1, sizeof *e->leaf_count);
    assert_true(e->node_count && e->leaf_count);
    for (size_t row = 0; row < rows->n_rows; row++)
        for (uint32_t t = 0; t < e->n_trees; t++) {
            int32_t child = ensemble_tree_nodes(e, t) ? 0 : ~0;
            while (child >= 0) {
                size_t node = e->tree_node[t] + (size_t)child;
                float x = matrix_row(rows, row)[e->feature[node]];
                e->node_count[node]++;
                child = ensemble_goes_left(e, node, x) ? e->left[node] : e->right[node];
            }
            e->leaf_count[e->tree_leaf[t] + (size_t)~child]++;
        }
}

#endif
