#include "harness/instruments/rank_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static void expect(uint64_t plus, uint64_t minus, double p) {
    assert_true(fabs(sign_test(plus, minus) - p) < 1e-12);
    assert_true(fabs(sign_test(minus, plus) - p) < 1e-12);
}

/* By hand: sums of binomial coefficients over 2^n, twice. */
static void p_is_exact(void **state) {
    (void)state;
    expect(0, 0, 1);
    expect(1, 0, 1);
    expect(5, 0, 2.0 / 32);
    expect(6, 0, 2.0 / 64);
    expect(8, 2, 2.0 * (1 + 10 + 45) / 1024);
    expect(5, 5, 1);
    expect(3, 2, 1);
}

/* The normal approximation: z = 499 / sqrt(40,500) = 2.4796, so p = 0.0132. */
static void many_differences_do_not_overflow(void **state) {
    (void)state;
    double p = sign_test(20500, 20000);
    assert_true(p > 0.0125 && p < 0.0137);
    assert_true(sign_test(100000, 0) < 1e-300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(p_is_exact),
                                       cmocka_unit_test(many_differences_do_not_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
