/* The tests of an ensemble's inner nodes, sorted. Implementations with data per test or per feature
 * process runs of equal tests, or of tests of the same feature. */
#ifndef IMPLS_SHARED_SORTED_TESTS_H
#define IMPLS_SHARED_SORTED_TESTS_H

#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sorted_test {
    uint64_t order; /* sorts tests by feature, then side of NaN, then threshold */
    size_t node;
};

/* `key` is the float_key of the threshold. */
static inline uint64_t sorted_test_order(uint32_t feature, bool nan_left, int32_t key) {
    return (uint64_t)feature << 33 | (uint64_t)nan_left << 32 | ((uint32_t)key ^ 0x80000000u);
}

static inline uint32_t sorted_test_feature(const struct sorted_test *test) {
    return (uint32_t)(test->order >> 33);
}

static inline bool sorted_test_nan_left(const struct sorted_test *test) {
    return test->order >> 32 & 1;
}

/* The float_key of the threshold. */
static inline int32_t sorted_test_key(const struct sorted_test *test) {
    return (int32_t)((uint32_t)test->order ^ 0x80000000u);
}

/* Do both tests test the same feature and send NaN to the same side? */
static inline bool sorted_test_is_like(const struct sorted_test *a, const struct sorted_test *b) {
    return a->order >> 32 == b->order >> 32;
}

/* Makes the sorted_test of a node that is not a set node. */
struct sorted_test sorted_test_of(const struct ensemble *ensemble, size_t node);
void sorted_tests_sort(struct sorted_test *tests, size_t count);

/* Fills tests[n_nodes] with all tests of an ensemble without set nodes, sorted. */
void sorted_tests_make(const struct ensemble *ensemble, struct sorted_test *tests);

#endif
