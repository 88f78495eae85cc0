/* Trees of several outputs as one tree for each output: many leaves are equal there, and a subtree
 * of equal leaves is one leaf. */
#ifndef MODELS_MERGE_EQUAL_H
#define MODELS_MERGE_EQUAL_H

#include "models/ensemble.h"

/* All arrays are the caller's. The root is the node 0, children come behind their parents, and a
 * node whose `left` is 0 is a leaf, of which only the count matters. */
struct merge_tree {
    size_t n_nodes;
    const struct inner_node *nodes;
    double *value;    /* [n_nodes] given for leaves; found for subtrees, NaN where they differ */
    uint32_t *number; /* [n_nodes] scratch */
};

/* Adds the tree to the builder as the next tree of the output; returns how many nodes and leaves it
 * then has. */
size_t merge_equal_add_tree(struct ensemble_builder *builder, uint32_t output,
                            struct merge_tree *tree);

#endif
