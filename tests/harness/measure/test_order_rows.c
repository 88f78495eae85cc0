/* Variants of one cell with different loop orders: what their rows say, and what is scored. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/measure/measure.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TREES = 7, DOCS = 30, VARIANTS = 6 };

static void measure(const char *const *variants, const struct measure_request *how,
                    struct row *rows) {
    struct ensemble *ensemble = NULL;
    struct matrix *documents = NULL;
    struct error error = {""};
    const struct synth_shape shape = {.depth = 3, .n_features = 5, .n_trees = TREES};
    assert_int_equal(synth_trees(&shape, 1, &ensemble, NULL), STATUS_OK);
    assert_int_equal(synth_documents(ensemble, DOCS, 2, &documents, NULL), STATUS_OK);
    for (size_t i = 0; i < VARIANTS; i++) {
        row_init(&rows[i]);
        snprintf(rows[i].workload.kind, sizeof rows[i].workload.kind, "files");
        row_set_variant(&rows[i], variants[i]);
    }
    if (measure_cell(ensemble, documents, variants, VARIANTS, how, rows, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    matrix_free(documents);
    ensemble_free(ensemble);
}

static void assert_order(const struct row *row, const char *order, uint64_t d, uint64_t s) {
    assert_string_equal(row->reason, "");
    assert_int_equal(row->status, ROW_OK);
    assert_string_equal(row->order, order);
    assert_int_equal(row->doc_block, d);
    assert_int_equal(row->unit_block, s);
    assert_true(row->median > 0);
}

static void rows_have_the_order_and_its_sizes(void **state) {
    (void)state;
    static const char *const variants[VARIANTS] = {"struct",
                                                   "struct,order=DS",
                                                   "vpred,order=SD,v=8",
                                                   "struct,d=4,order=DSD",
                                                   "vpred,d=4,order=DSDS,s=3,v=8",
                                                   "struct,order=SDS,s=3"};
    struct row rows[VARIANTS];
    const struct measure_request how = {.clock = "cpu", .rounds = 2, .single_documents = true};
    measure(variants, &how, rows);
    assert_order(&rows[0], "DS", 1, 0);
    assert_order(&rows[1], "DS", 1, 0);
    assert_order(&rows[2], "SD", 0, 0);
    assert_order(&rows[3], "DSD", 4, 0);
    assert_order(&rows[4], "DSDS", 4, 3);
    assert_order(&rows[5], "SDS", 0, 3);
    assert_string_equal(rows[4].params, "d=4,order=DSDS,s=3,v=8");
    assert_int_equal(rows[4].lanes, 8);
    for (size_t i = 0; i < VARIANTS; i++)
        row_free(&rows[i]);
}

static void calls_do_not_replace_the_blocks_of_an_order(void **state) {
    (void)state;
    static const char *const variants[VARIANTS] = {
        "struct",           "struct,order=DS",          "struct,d=50,order=DSD",
        "struct,order=DSD", "struct,order=SDS,s=3,x=1", "struct,order=SD,s=3"};
    struct row rows[VARIANTS];
    const struct measure_request how = {.clock = "cpu", .rounds = 2, .plan = {.doc_block = 10}};
    measure(variants, &how, rows);
    assert_order(&rows[0], "DS", 10, 0);
    assert_order(&rows[1], "DS", 1, 0);
    assert_order(&rows[2], "DSD", 50, 0);
    /* a size that is left out fits a call */
    assert_int_equal(rows[3].status, ROW_OK);
    assert_true(rows[3].doc_block >= 1 && rows[3].doc_block <= 10);
    for (size_t i = 4; i < VARIANTS; i++)
        assert_int_equal(rows[i].status, ROW_FAILED);
    assert_string_equal(rows[4].order, "SDS"); /* rows keep what was asked */
    assert_int_equal(rows[4].unit_block, 3);
    for (size_t i = 0; i < VARIANTS; i++)
        row_free(&rows[i]);
}

/* Orders of one implementation use one scorer, which moves to other addresses for each placement.
 * A variant that is measured twice has two. */
static void orders_share_a_scorer(void **state) {
    (void)state;
    static const char *const variants[VARIANTS] = {"struct,order=SD",    "struct",
                                                   "vpred,order=SD,v=8", "struct,d=4,order=DSD",
                                                   "vpred,v=8",          "struct,order=SD"};
    static const uint32_t builds[VARIANTS] = {2, 0, 2, 0, 0, 2};
    struct row rows[VARIANTS];
    const struct measure_request how = {.clock = "cpu", .rounds = 4, .placements = 2};
    measure(variants, &how, rows);
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_int_equal(rows[i].status, ROW_OK);
        assert_int_equal(rows[i].samples.count, 4);
        assert_int_equal(rows[i].builds, builds[i]);
        assert_true(rows[i].built_bytes > 0);
        row_free(&rows[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_order_and_its_sizes),
        cmocka_unit_test(calls_do_not_replace_the_blocks_of_an_order),
        cmocka_unit_test(orders_share_a_scorer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
