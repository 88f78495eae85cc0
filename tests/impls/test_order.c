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

static void check_calls(enum order order, size_t doc_block, size_t unit_block, size_t n_docs,
                        const char *calls) {
    const struct impl impl = {.score = note_call};
    const struct scorer scorer = {.impl = &impl, .n_units = 3};
    const struct plan plan = {.order = order, .doc_block = doc_block, .unit_block = unit_block};
    call_log[0] = '\0';
    scorer_run(&scorer, &plan, n_docs, NULL);
    assert_string_equal(call_log, calls);
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
        cmocka_unit_test(blocks_may_be_larger_than_everything),
        cmocka_unit_test(no_documents_are_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
