/* Which leaves lie below the inner nodes of a tree. */
#ifndef IMPLS_SPLITS_H
#define IMPLS_SPLITS_H

#include "models/ensemble.h"

/* An inner node: its subtree has the leaves [first, last), the right child's from `middle` on. */
struct split {
    uint32_t first, middle, last, depth; /* the root is 0 deep */
};

/* Those of tree t's inner nodes, [ensemble_tree_nodes(ensemble, t)]. */
void splits_find(const struct ensemble *ensemble, uint32_t t, struct split *splits);

#endif
