/* The sets of an ensemble's set nodes, as bit planes test them.
 *
 * A document goes right where an odd number of a set's cuts are less than its value. Each cut is a
 * plain test that sends NaN right, and the plane of a set is the XOR of theirs. It has NaN on the
 * right if their number is odd. Otherwise the test x <= infinity, which only NaN fails, is one more
 * of them, or one fewer. */
#ifndef IMPLS_PLANES_SETS_H
#define IMPLS_PLANES_SETS_H

#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct planes_set {
    uint32_t feature, n_keys;
    const int32_t *keys; /* [n_keys] of the plain tests' thresholds, strictly increasing */
};

struct planes_sets {
    struct planes_set *sets; /* [n_sets] all different, those of a feature together */
    size_t n_sets;
    size_t n_keys;    /* of all sets together */
    uint32_t *set_of; /* [n_nodes] the set of a set node; NULL: there are none */
    int32_t *keys;    /* what the sets point into */
};

/* False: out of memory. What was made is to be freed all the same. */
bool planes_sets_make(const struct ensemble *ensemble, struct planes_sets *sets);
void planes_sets_free(struct planes_sets *sets);

#endif
