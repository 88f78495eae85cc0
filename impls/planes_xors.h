/* Planes that are the XOR of others: which to make, in which order.
 *
 * A feature's sets have many of its cuts in common. Its plain tests are taken in groups of a few
 * that follow one another, and what several sets take of a group gets a plane of its own, a part:
 * 45 categories, half of them in a set, are 23 planes or, in groups of 4, 12 parts. */
#ifndef IMPLS_PLANES_XORS_H
#define IMPLS_PLANES_XORS_H

#include "impls/planes_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set, as the plain tests whose XOR it is. */
struct planes_xor_set {
    const uint32_t *tests; /* [n_tests] increasing */
    uint32_t n_tests;
    uint32_t feature; /* sets of a feature follow one another */
};

struct planes_xor_program {
    struct planes_xors *runs; /* in the order in which their planes are made */
    size_t n_runs;
    uint32_t *operands; /* what the runs point into */
    size_t n_operands;
    size_t n_planes;     /* that the runs make, behind the plain tests' */
    uint32_t *set_plane; /* [n_sets] the number of a set's plane, which may be another's part or a
                            plain test */
};

/* False: out of memory. What was made is to be freed all the same. */
bool planes_xors_make(const struct planes_xor_set *sets, size_t n_sets, size_t n_plain,
                      struct planes_xor_program *program);
void planes_xors_free(struct planes_xor_program *program);

#endif
