/* Ensembles whose nodes know how many documents passed them. For test programs: static functions.
 */
#ifndef TESTS_IMPLS_FRAMING_COUNTED_H
#define TESTS_IMPLS_FRAMING_COUNTED_H

#include "datasets/matrix.h"
#include "models/profile.h"

/* Counts the rows that reach each node and leaf, as a learner would have. */
static void count_rows(struct ensemble *e, const struct matrix *rows) {
    assert_int_equal(profile_count(e, rows->values, rows->stride, rows->n_rows, NULL), STATUS_OK);
}

#endif
