/* Splits a tree with several outputs into one tree per output. In such a tree, many leaves are
 * equal, so each subtree of equal leaves is replaced by one leaf. */
#ifndef MODELS_MERGE_EQUAL_H
#define MODELS_MERGE_EQUAL_H

#include "models/ensemble.h"

/* The root is node 0 and children come after their parents. A node whose `left` is 0 is a leaf; its
 * other members except `count` are ignored. */
struct merge_tree {
    size_t n_nodes;
    struct inner_node *nodes; /* [n_nodes] set by the caller */
    double *value; /* [n_nodes] set by the caller for leaves; computed for inner nodes: the value of
                      all leaves below, NaN if they differ */
    uint32_t *number; /* [n_nodes] scratch */
};

/* Makes the arrays, in a pool, for trees of at most n_nodes. Check pool->failed. */
void merge_tree_allocate(struct merge_tree *tree, size_t n_nodes, struct memory_pool *pool);

/* Adds the merged tree to the builder as the next tree of the output. Returns its number of nodes
 * and leaves. */
size_t merge_equal_add_tree(struct ensemble_builder *builder, uint32_t output,
                            struct merge_tree *tree);

#endif
