/* The range of leaves below each inner node of a tree. */
#ifndef IMPLS_SHARED_SPLITS_H
#define IMPLS_SHARED_SPLITS_H

#include "models/ensemble.h"

/* An inner node. The leaves [first, middle) are in its left subtree, and the leaves [middle, last)
 * are in its right subtree. */
struct split {
    uint32_t first, middle, last, depth; /* the root has depth 0 */
};

/* Fills splits[ensemble_tree_nodes(ensemble, t)] with the inner nodes of tree t. */
void splits_find(const struct ensemble *ensemble, uint32_t t, struct split *splits);

/* STATUS_UNSUPPORTED if a tree has more than `limit` leaves. `instead` names the implementations to
 * use then. */
enum status splits_check(const struct ensemble *ensemble, uint32_t limit, const char *impl,
                         const char *instead, struct error *error);

#endif
