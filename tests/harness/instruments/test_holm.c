#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/instruments/rank_tests.h"

#include <math.h>

/* By hand: 0.01 * 4 and 0.015 * 3 pass, 0.03 * 2 = 0.06 does not, so 0.04 * 1 is not asked. */
static void steps_down_until_a_test_fails(void **state) {
    (void)state;
    double p[] = {0.01, 0.015, 0.03, 0.04};
    assert_int_equal(holm_count(p, 4, 0.05), 2);
    assert_int_equal(holm_count(p, 4, 0.06), 4);
    assert_int_equal(holm_count(p, 4, 0.03), 0);
    assert_int_equal(holm_count(p + 3, 1, 0.05), 1);
    assert_int_equal(holm_count(p, 0, 0.05), 0);
}

/* The smallest p on LETOR: 0.005 in 120 tests. */
static void many_tests_need_a_smaller_p(void **state) {
    (void)state;
    double p[120];
    for (size_t i = 0; i < 120; i++)
        p[i] = i < 13 ? 0.005 : 0.5;
    assert_int_equal(holm_count(p, 120, 0.05), 0);
    p[0] = 0.0004;
    assert_int_equal(holm_count(p, 120, 0.05), 1);
    assert_true(fabs(holm_least(0.005, 120) - 0.6) < 1e-12);
    assert_true(holm_least(0.01, 120) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_down_until_a_test_fails),
                                       cmocka_unit_test(many_tests_need_a_smaller_p)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
