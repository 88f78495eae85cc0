#include "harness/instruments/stats.h"

#include "harness/instruments/timer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.12g is not %.12g to within %g", found, expected, tolerance);
}

static void assert_no_interval(struct interval interval) {
    assert_true(isnan(interval.low) && isnan(interval.high));
}

static void test_t_quantiles_are_those_of_the_tables(void **state) {
    (void)state;
    static const struct {
        double p, degrees, t, tolerance;
    } known[] = {
        {0.975, 1, 12.7062047364, 1e-9},        {0.975, 2, 4.30265272975, 1e-10},
        {0.975, 4, 2.77644510520, 1e-10},       {0.975, 9, 2.26215716280, 1e-10},
        {0.975, 30, 2.04227245630, 1e-10},      {0.975, 1000, 1.96233900, 1e-6},
        {0.975, INFINITY, 1.95996398454, 1e-6}, {0.95, 5, 2.01504837, 1e-7},
        {0.9995, 3, 12.923978637, 1e-8},        {0.75, 1, 1.0, 1e-12},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        double t = stats_t_quantile(known[i].p, known[i].degrees);
        assert_near(t, known[i].t, known[i].tolerance);
        assert_near(stats_t_quantile(1 - known[i].p, known[i].degrees), -t, 1e-9 * t);
    }
    assert_near(stats_t_quantile(0.5, 7), 0, 1e-12);
    assert_near(stats_t_quantile(0.45, 7), -0.13029, 1e-5);
    assert_true(isnan(stats_t_quantile(1, 3)) && isnan(stats_t_quantile(0.9, 0)));
}

static void test_moments_and_quantiles(void **state) {
    (void)state;
    const double x[] = {4, 1, 3, 2};
    assert_near(stats_mean(x, 4), 2.5, 0);
    assert_near(stats_deviation(x, 4), sqrt(5.0 / 3), 1e-15);
    assert_near(stats_median(x, 4), 2.5, 0);
    assert_near(stats_median(x, 3), 3, 0);
    assert_near(stats_quantile(x, 4, 0), 1, 0);
    assert_near(stats_quantile(x, 4, 0.25), 1.75, 0);
    assert_near(stats_quantile(x, 4, 1), 4, 0);
    assert_true(x[0] == 4 && x[3] == 2);
}

static void test_too_few_samples_give_nan(void **state) {
    (void)state;
    const double x[] = {5};
    assert_true(isnan(stats_mean(x, 0)) && isnan(stats_median(x, 0)));
    assert_true(isnan(stats_quantile(x, 0, 0.5)) && isnan(stats_deviation(x, 1)));
    assert_near(stats_median(x, 1), 5, 0);
    assert_no_interval(stats_t_interval(x, 1));
    assert_int_equal(stats_count_outliers(x, 0), 0);
}

static void test_a_nan_sample_gives_nan(void **state) {
    (void)state;
    const double x[] = {1, NAN, 3};
    assert_true(isnan(stats_median(x, 3)));
    assert_int_equal(stats_count_outliers(x, 3), 0);
}

static void test_t_interval_of_five_trials(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5};
    struct interval interval = stats_t_interval(x, 5);
    double reach = 2.77644510520 * sqrt(2.5) / sqrt(5);
    assert_near(interval.low, 3 - reach, 1e-9);
    assert_near(interval.high, 3 + reach, 1e-9);
}

/* Moore and McCabe, "Introduction to the Practice of Statistics", section 7.1: 16.5 to 28.5. */
static void test_the_t_interval_is_the_published_one(void **state) {
    (void)state;
    const double x[] = {26, 31, 23, 22, 11, 22, 14, 31};
    struct interval interval = stats_t_interval(x, 8);
    assert_near(interval.low, 16.5, 0.05);
    assert_near(interval.high, 28.5, 0.05);
}

static void test_outliers_lie_beyond_the_fences(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}; /* fences: 3 - 6 and 7 + 6 */
    assert_int_equal(stats_count_outliers(x, 9), 0);
    const double inside[] = {1, 2, 3, 4, 5, 6, 7, 8, 13}, beyond[] = {1, 2, 3, 4, 5, 6, 7, 8, 13.5};
    assert_int_equal(stats_count_outliers(inside, 9), 0);
    assert_int_equal(stats_count_outliers(beyond, 9), 1);
    const double y[] = {100, 2, 3, 4, 5, 6, 7, 8, -50};
    assert_int_equal(stats_count_outliers(y, 9), 2);
}

static void test_clocks_run_forward_and_their_measures_are_positive(void **state) {
    (void)state;
    struct timer_info info;
    uint64_t wall = timer_wall_ns(), cpu = timer_cpu_ns();
    timer_measure(&info);
    assert_true(timer_wall_ns() > wall && timer_cpu_ns() > cpu);
    assert_true(info.wall_resolution_ns >= 1 && info.cpu_resolution_ns >= 1);
    assert_true(info.wall_cost_ns > 0 && info.cpu_cost_ns > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles_are_those_of_the_tables),
        cmocka_unit_test(test_moments_and_quantiles),
        cmocka_unit_test(test_too_few_samples_give_nan),
        cmocka_unit_test(test_a_nan_sample_gives_nan),
        cmocka_unit_test(test_t_interval_of_five_trials),
        cmocka_unit_test(test_the_t_interval_is_the_published_one),
        cmocka_unit_test(test_outliers_lie_beyond_the_fences),
        cmocka_unit_test(test_clocks_run_forward_and_their_measures_are_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
