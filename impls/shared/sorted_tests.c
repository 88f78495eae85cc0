#include "impls/shared/sorted_tests.h"

#include "impls/shared/float_key.h"

#include <stdlib.h>

static int compare_tests(const void *a, const void *b) {
    uint64_t x = ((const struct sorted_test *)a)->order, y = ((const struct sorted_test *)b)->order;
    return (x > y) - (x < y);
}

struct sorted_test sorted_test_of(const struct ensemble *e, size_t node) {
    return (struct sorted_test){
        sorted_test_order(e->feature[node], e->nan_left[node], float_key(e->threshold[node])),
        node};
}

void sorted_tests_sort(struct sorted_test *tests, size_t count) {
    if (count)
        qsort(tests, count, sizeof *tests, compare_tests);
}

void sorted_tests_make(const struct ensemble *e, struct sorted_test *tests) {
    for (size_t i = 0; i < e->n_nodes; i++)
        tests[i] = sorted_test_of(e, i);
    sorted_tests_sort(tests, e->n_nodes);
}
