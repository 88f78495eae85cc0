/* The sets of set nodes, for implementations that walk from node to node. */
#ifndef IMPLS_SHARED_NODE_SETS_H
#define IMPLS_SHARED_NODE_SETS_H

#include "base/memory.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_sets {
    size_t *begin; /* [n_sets + 1] index of each set's first cut in `cuts` */
    float *cuts;   /* of all sets; ascending within a set */
};

/* Copies an ensemble's sets to arrays of the pool. They are NULL if the ensemble has no sets. */
void node_sets_copy(const struct ensemble *ensemble, struct node_sets *sets,
                    struct memory_pool *pool);

/* Is x in the set? x must not be NaN. The intervals between cuts are alternately inside and outside
 * the set, and the lowest is inside. So x is inside if an even number of cuts is less than x. */
static inline bool node_sets_have(const struct node_sets *sets, uint32_t set, float x) {
    size_t begin = sets->begin[set], low = begin, high = sets->begin[set + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sets->cuts[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return (low - begin) % 2 == 0;
}

#endif
