/* Ensembles and documents for tests of if-else trees. For test programs: static functions. */
#ifndef TESTS_IMPLS_FRAMING_IFELSE_CASES_H
#define TESTS_IMPLS_FRAMING_IFELSE_CASES_H

#include "tests/impls/forests.h"
#include "tests/impls/framing/counted.h"

static struct ensemble *trees_of_many_shapes(bool votes) {
    struct forest forest = forest_begin(9, 21);
    forest.nan_left = true;
    forest.n_classes = votes ? 5 : 0;
    forest.n_outputs = votes ? 1 : 2;
    for (uint32_t leaves = 1; leaves < 50; leaves += 12)
        forest_add_random_tree(&forest, leaves);
    forest_add_chain(&forest, 30, CHAIN_ZIGZAG);
    forest_add_balanced(&forest, 5);
    return forest_end(&forest);
}

static struct matrix *make_rows(const struct ensemble *ensemble) {
    struct matrix *rows = NULL;
    assert_int_equal(synth_probes(ensemble, 400, 1, &rows, NULL), STATUS_OK);
    return rows;
}

/* Equal scores of these leaf values mean equal exit leaves. */
static struct ensemble *with_exact_leaves(struct ensemble *ensemble) {
    struct ensemble *copy = NULL;
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 3, &copy, NULL), STATUS_OK);
    ensemble_free(ensemble);
    return copy;
}

#endif
