/* A tree as its layout in memory sees it: shape and probabilities, without tests.
 *
 * Nodes are numbered breadth first from the root, 0, leaves included. A breadth-first order of the
 * inner nodes alone keeps their relative order. */
#ifndef IMPLS_FRAMING_FRAME_TREE_H
#define IMPLS_FRAMING_FRAME_TREE_H

#include "base/memory.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_NONE UINT32_MAX

struct frame_tree {
    uint32_t n_nodes;       /* inner nodes and leaves */
    uint32_t *left, *right; /* [n_nodes] children; FRAME_NONE in a leaf */
    double *weight;         /* [n_nodes] the probability of reaching a node is its weight divided by
                               the root's */
    uint32_t *number;       /* [n_nodes] the ensemble's number of the inner node or leaf, from 0 in
                               each tree */
};

static inline bool frame_is_leaf(const struct frame_tree *tree, uint32_t node) {
    return tree->left[node] == FRAME_NONE;
}

/* The child that a document is likelier to reach, and the other child. Equally likely: the left
 * child is the likelier one. */
static inline uint32_t frame_likelier(const struct frame_tree *tree, uint32_t node) {
    uint32_t left = tree->left[node], right = tree->right[node];
    return tree->weight[right] > tree->weight[left] ? right : left;
}
static inline uint32_t frame_other(const struct frame_tree *tree, uint32_t node) {
    uint32_t left = tree->left[node], right = tree->right[node];
    return tree->weight[right] > tree->weight[left] ? left : right;
}

/* Makes room for trees of up to n_nodes nodes, unless the pool fails. */
void frame_tree_create(struct frame_tree *tree, size_t n_nodes, struct memory_pool *pool);

/* Fills in tree t of an ensemble. A weight is the number of training documents that reached the
 * node. If the ensemble has no counts, both children of a node are equally likely. */
void frame_tree_fill(struct frame_tree *tree, const struct ensemble *ensemble, uint32_t t);

#endif
