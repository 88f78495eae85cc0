/* Each loop order makes exactly the calls that it promises, in that order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"

#include <stdio.h>
#include <string.h>

enum { LOG_SIZE = 512 };
static char call_log[LOG_SIZE];

static void note_call(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch) {
    (void)scorer, (void)batch;
    size_t used = strlen(call_log);
    snprintf(call_log + used, LOG_SIZE - used, "u%zu-%zu d%zu-%zu;", units.begin, units.end,
             docs.begin, docs.end);
}

static void check_lanes(enum order order, size_t doc_block, size_t unit_block, unsigned lanes,
                        size_t n_docs, const char *calls) {
    const struct impl impl = {.score = note_call};
    const struct scorer scorer = {.impl = &impl, .n_units = 3, .lanes = lanes};
    const struct plan plan = {.order = order, .doc_block = doc_block, .unit_block = unit_block};
    call_log[0] = '\0';
    scorer_run(&scorer, &plan, n_docs, NULL);
    assert_string_equal(call_log, calls);
}

static void check_calls(enum order order, size_t doc_block, size_t unit_block, size_t n_docs,
                        const char *calls) {
    check_lanes(order, doc_block, unit_block, 1, n_docs, calls);
}

static void zero_blocks_are_one_call(void **state) {
    (void)state;
    check_calls(ORDER_DS, 0, 0, 5, "u0-3 d0-5;");
    check_calls(ORDER_SD, 0, 0, 5, "u0-3 d0-5;");
}

static void documents_outside(void **state) {
    (void)state;
    check_calls(ORDER_DS, 2, 2, 3, "u0-2 d0-2;u2-3 d0-2;u0-2 d2-3;u2-3 d2-3;");
    check_calls(ORDER_DS, 1, 0, 2, "u0-3 d0-1;u0-3 d1-2;");
}

static void units_outside(void **state) {
    (void)state;
    check_calls(ORDER_SD, 2, 2, 3, "u0-2 d0-2;u0-2 d2-3;u2-3 d0-2;u2-3 d2-3;");
    check_calls(ORDER_SD, 0, 1, 2, "u0-1 d0-2;u1-2 d0-2;u2-3 d0-2;");
}

/* The innermost loop is over units: each call gets a step of documents, and the last steps of a
 * block are not full. */
static void units_inside(void **state) {
    (void)state;
    check_lanes(ORDER_SDS, 0, 2, 4, 5, "u0-2 d0-4;u0-2 d4-5;u2-3 d0-4;u2-3 d4-5;");
    check_lanes(ORDER_SDDS, 3, 2, 2, 5,
                "u0-2 d0-2;u0-2 d2-3;u0-2 d3-5;u2-3 d0-2;u2-3 d2-3;u2-3 d3-5;");
    check_lanes(ORDER_DSDS, 3, 2, 2, 4,
                "u0-2 d0-2;u0-2 d2-3;u2-3 d0-2;u2-3 d2-3;u0-2 d3-4;u2-3 d3-4;");
}

static void blocks_of_documents_are_as_typed(void **state) {
    (void)state;
    check_lanes(ORDER_DSD, 3, 0, 8, 4, "u0-3 d0-3;u0-3 d3-4;");
    check_lanes(ORDER_SDSD, 3, 2, 8, 4, "u0-2 d0-3;u0-2 d3-4;u2-3 d0-3;u2-3 d3-4;");
    check_lanes(ORDER_DSSD, 3, 2, 8, 4, "u0-2 d0-3;u2-3 d0-3;u0-2 d3-4;u2-3 d3-4;");
}

static void documents_of_a_call(void **state) {
    (void)state;
    const struct scorer scorer = {.lanes = 8};
    struct plan plan = {.order = ORDER_DSD, .doc_block = 20};
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 20);
    assert_int_equal(order_documents_of_score(&plan, &scorer, 10), 10);
    plan.order = ORDER_DSDS;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 8);
    plan.doc_block = 5;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 5);
    plan.order = ORDER_SDS;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 8);
    assert_int_equal(order_documents_of_score(&plan, &scorer, 0), 1);
    plan.order = ORDER_SDDS;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 5);
    plan.doc_block = 20;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 8);
    plan.order = ORDER_SDSD;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 20);
    plan.call = 15;
    assert_int_equal(order_documents_of_score(&plan, &scorer, 100), 15);
}

static void blocks_may_be_larger_than_everything(void **state) {
    (void)state;
    check_calls(ORDER_DS, SIZE_MAX, SIZE_MAX, 5, "u0-3 d0-5;");
    check_calls(ORDER_SD, SIZE_MAX, SIZE_MAX, 5, "u0-3 d0-5;");
}

static void no_documents_are_no_calls(void **state) {
    (void)state;
    check_calls(ORDER_DS, 4, 1, 0, "");
    check_calls(ORDER_SD, 4, 1, 0, "");
    check_calls(ORDER_DS, 0, 0, 0, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_blocks_are_one_call),
        cmocka_unit_test(documents_outside),
        cmocka_unit_test(units_outside),
        cmocka_unit_test(units_inside),
        cmocka_unit_test(blocks_of_documents_are_as_typed),
        cmocka_unit_test(documents_of_a_call),
        cmocka_unit_test(blocks_may_be_larger_than_everything),
        cmocka_unit_test(no_documents_are_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
