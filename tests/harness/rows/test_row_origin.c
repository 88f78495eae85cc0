/* What the note of a row says of its model and its documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/rows/row_origin.h"

#include <stdio.h>

static void notes_become_bits(void **state) {
    (void)state;
    static const struct {
        const char *kind, *note;
        unsigned origin;
    } cases[] = {
        {"trained", "", 0},
        {"synthetic", "", ORIGIN_SYNTHETIC},
        {"trained", "trained on a sample of MSLR-WEB30K, Fold1", ORIGIN_SAMPLE},
        {"random-forest", "trained on a part of fact: 3 of 9 rows", ORIGIN_PART},
        {"trained", "trained on a synthetic stand-in for istella, seed 1", ORIGIN_STAND_IN},
        {"trained", "trained on a synthetic; documents: synthetic", ORIGIN_STAND_IN},
        {"grown", "random trees grown on quantiles, not trained, seed 3", ORIGIN_GROWN},
        {"grown", "random trees grown on quantiles, not trained, seed 3; documents: a sample",
         ORIGIN_GROWN | ORIGIN_SAMPLE},
        {"files", "bagging copies of a model of 3 trees, not trained", ORIGIN_COPIED},
        {"files",
         "bagging copies of a model of 3 trees, not trained; model: trained on a sample of it",
         ORIGIN_COPIED | ORIGIN_SAMPLE},
        /* the documents are copies, and the trees are trained */
        {"files", "synthetic: 5 of 9 are changed copies, seed 3", ORIGIN_STAND_IN},
        {"files", "trained on a sample; documents: synthetic: 5 of 9 are changed copies, seed 3",
         ORIGIN_STAND_IN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row row;
        row_init(&row);
        snprintf(row.workload.kind, sizeof row.workload.kind, "%s", cases[i].kind);
        snprintf(row.note, sizeof row.note, "%s", cases[i].note);
        if (row_origin(&row) != cases[i].origin)
            fail_msg("'%s': %#x instead of %#x", cases[i].note, row_origin(&row), cases[i].origin);
        if (cases[i].origin != ORIGIN_SYNTHETIC) {
            row.workload.resample = 50;
            assert_int_equal(row_origin(&row), cases[i].origin | ORIGIN_RESAMPLED);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_become_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
