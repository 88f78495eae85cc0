#include "impls/sorted_tests.h"

#include "impls/planes_types.h"

#include <stdlib.h>

static uint64_t order_of(const struct ensemble *e, size_t node) {
    uint32_t key = (uint32_t)planes_key(e->threshold[node]) ^ 0x80000000u;
    return (uint64_t)e->feature[node] << 33 | (uint64_t)(e->nan_left[node] != 0) << 32 | key;
}

static int compare_tests(const void *a, const void *b) {
    uint64_t x = ((const struct sorted_test *)a)->order, y = ((const struct sorted_test *)b)->order;
    return (x > y) - (x < y);
}

void sorted_tests_make(const struct ensemble *e, struct sorted_test *tests) {
    for (size_t i = 0; i < e->n_nodes; i++)
        tests[i] = (struct sorted_test){order_of(e, i), i};
    if (e->n_nodes)
        qsort(tests, e->n_nodes, sizeof *tests, compare_tests);
}
