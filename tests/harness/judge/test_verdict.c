/* Verdicts: what an interval of a ratio says, given the noise floor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/verdict.h"

#include <math.h>

static void assert_verdict(double low, double high, double noise_floor, const char *expected) {
    char text[VERDICT_TEXT_SIZE];
    verdict_describe(verdict_of((struct interval){low, high}, noise_floor), text);
    assert_string_equal(text, expected);
}

static void interval_beyond_the_noise_floor_decides(void **state) {
    (void)state;
    assert_verdict(0.90, 0.94, 0.02, "faster");
    assert_verdict(1.06, 1.30, 0.02, "slower");
    assert_verdict(0.02, 0.03, 0.5, "faster");
    assert_verdict(0.90, 0.94, 0, "faster");
}

static void interval_that_excludes_1_by_less_than_the_noise_does_not(void **state) {
    (void)state;
    assert_verdict(0.90, 0.94, 0.07, "unresolved");
    assert_verdict(1.06, 1.30, 0.08, "unresolved");
    assert_verdict(0.97, 0.99, 0.02, "same within 3 %");
    assert_verdict(1.01, 1.04, 0.011, "same within 4 %");
}

static void interval_near_1_is_the_same_within_the_least_whole_per_cent(void **state) {
    (void)state;
    assert_verdict(0.995, 1.004, 0.01, "same within 1 %");
    assert_verdict(0.999, 1.001, 0.2, "same within 1 %");
    assert_verdict(0.995, 1.011, 0.01, "same within 2 %");
    assert_verdict(0.979, 1.004, 0.01, "same within 3 %");
    assert_verdict(0.951, 1.049, 0.01, "same within 5 %");
    assert_verdict(0.949, 1.01, 0.01, "unresolved");
    assert_verdict(0.99, 1.051, 0.01, "unresolved");
}

/* A clear difference is not hidden because it is small. */
static void small_difference_beyond_the_noise_is_told(void **state) {
    (void)state;
    assert_verdict(0.985, 0.988, 0.004, "faster");
}

static void missing_interval_or_floor_is_unresolved(void **state) {
    (void)state;
    assert_verdict(NAN, NAN, 0.01, "unresolved");
    assert_verdict(0.5, 0.6, NAN, "unresolved");
}

static void floor_is_the_farther_end(void **state) {
    (void)state;
    assert_float_equal(verdict_noise_floor((struct interval){0.99, 1.03}), 0.03, 1e-12);
    assert_float_equal(verdict_noise_floor((struct interval){0.96, 1.03}), 0.04, 1e-12);
    assert_float_equal(verdict_noise_floor((struct interval){1.01, 1.02}), 0.02, 1e-12);
    assert_true(isnan(verdict_noise_floor((struct interval){NAN, NAN})));
}

static void no_verdict_has_no_words(void **state) {
    (void)state;
    char text[VERDICT_TEXT_SIZE] = "before";
    verdict_describe((struct verdict){VERDICT_NONE, 0}, text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_beyond_the_noise_floor_decides),
        cmocka_unit_test(interval_that_excludes_1_by_less_than_the_noise_does_not),
        cmocka_unit_test(interval_near_1_is_the_same_within_the_least_whole_per_cent),
        cmocka_unit_test(small_difference_beyond_the_noise_is_told),
        cmocka_unit_test(missing_interval_or_floor_is_unresolved),
        cmocka_unit_test(floor_is_the_farther_end),
        cmocka_unit_test(no_verdict_has_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
