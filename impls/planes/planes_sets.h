/* Turns the sets of an ensemble's set nodes into plain tests for bit planes.
 *
 * A document goes right if an odd number of the set's cuts are less than its value. Each cut is a
 * plain test that sends NaN right, and the plane of a set is the XOR of the planes of its cuts. NaN
 * therefore goes right if the number of cuts is odd. If NaN should go the other way, the test x <=
 * infinity, which only NaN fails, is added or removed. */
#ifndef IMPLS_PLANES_PLANES_SETS_H
#define IMPLS_PLANES_PLANES_SETS_H

#include "base/memory.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct planes_set {
    uint32_t feature, n_keys;
    const int32_t *keys; /* [n_keys] keys of the plain tests' thresholds, strictly increasing */
};

struct planes_sets {
    struct planes_set *sets; /* [n_sets] all different, grouped by feature */
    size_t n_sets;
    size_t n_keys;    /* of all sets together */
    uint32_t *set_of; /* [n_nodes] index of each set node's set; NULL if there are no set nodes */
};

/* The sets are arrays of the pool. False if out of memory. */
bool planes_sets_make(const struct ensemble *ensemble, struct planes_sets *sets,
                      struct memory_pool *pool);

#endif
