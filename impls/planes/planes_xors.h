/* Plans the planes that are the XOR of other planes: which planes to make, and in which order.
 *
 * The sets of a feature share many cuts. The feature's plain tests are divided into groups of a few
 * neighbours. If several sets use the same combination of tests from a group, that combination gets
 * its own plane, called a part. For example, a set with half of 45 tests is the XOR of 23 planes,
 * or of 12 parts if groups have 4 tests. */
#ifndef IMPLS_PLANES_PLANES_XORS_H
#define IMPLS_PLANES_PLANES_XORS_H

#include "base/memory.h"
#include "impls/planes/kernel/planes_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set, given by the plain tests whose XOR is the set's plane. */
struct planes_xor_set {
    const uint32_t *tests; /* [n_tests] increasing */
    uint32_t n_tests;
    uint32_t feature; /* sets of the same feature are consecutive */
};

struct planes_xor_program {
    struct memory_pool pool;  /* of the arrays */
    struct planes_xors *runs; /* in the order in which their planes are made */
    size_t n_runs;
    uint32_t *operands; /* the operands of all runs, into which the runs point */
    size_t n_operands;
    size_t n_planes;     /* planes that the runs make; they follow the planes of plain tests */
    uint32_t *set_plane; /* [n_sets] index of each set's plane: its own, a part or a plain test */
};

/* False if out of memory. Free the program's pool in any case. */
bool planes_xors_make(const struct planes_xor_set *sets, size_t n_sets, size_t n_plain,
                      struct planes_xor_program *program);

#endif
