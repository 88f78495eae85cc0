#include "harness/instruments/stats.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.12g is not %.12g to within %g", found, expected, tolerance);
}

static void assert_no_interval(struct interval interval) {
    assert_true(isnan(interval.low) && isnan(interval.high));
}

/* The interval of samples that are all of one placement. */
static struct interval one_placement(const double *x, size_t n, uint64_t seed) {
    return placements_median_interval((struct placed_samples){x, n, 0}, 0.95, seed);
}

static struct ratio ratio_of(const double *x, const double *y, size_t n, uint32_t rounds) {
    return placements_ratio((struct placed_samples){x, n, rounds},
                            (struct placed_samples){y, n, rounds}, 0.95, 1);
}

static void test_too_few_samples_give_nan(void **state) {
    (void)state;
    const double x[] = {5}, y[] = {2};
    assert_no_interval(one_placement(x, 1, 7));
    assert_true(isnan(placements_median((struct placed_samples){x, 0, 0})));
    assert_true(isnan(ratio_of(x, y, 0, 0).value));
    struct ratio ratio = ratio_of(x, y, 1, 0);
    assert_near(ratio.value, 2.5, 1e-15);
    assert_no_interval(ratio.interval);
}

static void test_a_nan_sample_gives_nan(void **state) {
    (void)state;
    const double x[] = {1, NAN, 3};
    assert_true(isnan(placements_median((struct placed_samples){x, 3, 1})));
    assert_no_interval(one_placement(x, 3, 1));
}

static void test_bootstrap_repeats_by_seed_and_stays_within_the_samples(void **state) {
    (void)state;
    double x[25];
    struct random random;
    random_seed(&random, 3);
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = 10 + random_double(&random);
    struct interval first = one_placement(x, COUNT(x), 1);
    struct interval again = one_placement(x, COUNT(x), 1);
    assert_true(first.low == again.low && first.high == again.high);
    double median = placements_median((struct placed_samples){x, COUNT(x), 0});
    assert_true(10 < first.low && first.low < median);
    assert_true(median < first.high && first.high < 11);
}

/* The median of a resample of {0, 1} is 0, 1/2 or 1 with probabilities 1/4, 1/2 and 1/4. */
static void test_bootstrap_of_two_samples_spans_both(void **state) {
    (void)state;
    const double x[] = {1, 0};
    struct interval interval = one_placement(x, 2, 5);
    assert_true(interval.low == 0 && interval.high == 1);
}

/* The 1 is drawn three times in six with probability 5.4 %, and more often with 0.9 %: between both
 * lies the upper bound, a median half way between 0 and 1. */
static void test_bootstrap_of_an_even_number_takes_both_middle_ranks(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0};
    struct interval interval = one_placement(x, 6, 5);
    assert_true(interval.low == 0 && interval.high == 0.5);
}

/* For 21 samples the median of a resample lies at rank k or below with the binomial probability
 * P(B(21, (k + 1) / 21) >= 11), which is 1.8 % at rank 5 and 5.6 % at rank 6: the interval of the
 * samples 0 .. 20 is [6, 14], or by chance one rank wider. */
static void test_bootstrap_has_the_width_that_theory_gives(void **state) {
    (void)state;
    double x[21];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (double)i;
    struct interval interval = one_placement(x, COUNT(x), 11);
    assert_true(interval.low >= 5 && interval.low <= 6);
    assert_true(interval.high >= 14 && interval.high <= 15);
    /* Ranks of many samples are about normal, with a standard deviation of sqrt(1001) / 2. */
    double many[1001];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = (double)i;
    interval = one_placement(many, COUNT(many), 11);
    assert_near(interval.low, 500 - 31, 3);
    assert_near(interval.high, 500 + 31, 3);
}

static void test_bootstrap_covers_the_true_median(void **state) {
    (void)state;
    enum { EXPERIMENTS = 200 };
    struct random random;
    random_seed(&random, 17);
    int covered = 0;
    for (uint64_t experiment = 0; experiment < EXPERIMENTS; experiment++) {
        double x[30];
        for (size_t i = 0; i < COUNT(x); i++)
            x[i] = random_double(&random);
        struct interval interval = one_placement(x, COUNT(x), experiment);
        covered += interval.low <= 0.5 && 0.5 <= interval.high;
    }
    assert_in_range(covered, EXPERIMENTS * 88 / 100, EXPERIMENTS * 99 / 100);
}

static void test_paired_ratio_is_blind_to_what_both_share(void **state) {
    (void)state;
    double numerator[15], denominator[15];
    for (size_t i = 0; i < COUNT(numerator); i++) {
        double round = 1 + (double)(i * i); /* a machine that gets slower and slower */
        denominator[i] = 2 * round;
        numerator[i] = 3 * round;
    }
    struct ratio ratio = ratio_of(numerator, denominator, COUNT(numerator), 0);
    assert_near(ratio.value, 1.5, 1e-12);
    assert_near(ratio.interval.low, 1.5, 1e-12);
    assert_near(ratio.interval.high, 1.5, 1e-12);
}

/* Placements of 3, 3 and 1 rounds: their medians are 2, 20 and 7. */
static void test_the_median_is_that_of_the_placements_medians(void **state) {
    (void)state;
    const double x[] = {1, 2, 90, 20, 19, 21, 7};
    assert_near(placements_median((struct placed_samples){x, COUNT(x), 3}), 7, 0);
    assert_near(placements_median((struct placed_samples){x, COUNT(x), 0}), 19, 0);
}

/* Rounds of a placement agree here, so that only placements tell how sure a median is. */
static void test_repetitions_in_a_placement_are_no_evidence(void **state) {
    (void)state;
    double x[40];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = i / 10 % 2 ? 10 : 11;
    struct interval all = one_placement(x, COUNT(x), 1);
    struct interval placed =
        placements_median_interval((struct placed_samples){x, COUNT(x), 10}, 0.95, 1);
    assert_true(placed.low == 10 && placed.high == 11);
    assert_true(all.high - all.low <= 1);
    struct interval four = placements_median_interval((struct placed_samples){x, 20, 10}, 0.95, 1);
    assert_true(four.low == 10 && four.high == 11);
}

static double about_normal(struct random *random) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_double(random);
    return sum;
}

/* A/A: both variants have the same distribution. A placement moves the ratio by 3 %, a round by 2 %
 * more. */
static int count_excluding_one(uint32_t placements, uint32_t rounds, int experiments) {
    struct random random;
    random_seed(&random, 23);
    int excluding = 0;
    for (int experiment = 0; experiment < experiments; experiment++) {
        double x[64], y[64];
        double placement = 0;
        for (size_t i = 0; i < placements * rounds; i++) {
            if (i % rounds == 0)
                placement = 0.03 * about_normal(&random);
            x[i] = exp(placement + 0.02 * about_normal(&random));
            y[i] = 1;
        }
        struct ratio ratio = ratio_of(x, y, placements * rounds, rounds);
        excluding += ratio.interval.low > 1 || ratio.interval.high < 1;
    }
    return excluding;
}

static void test_intervals_over_placements_cover_the_truth(void **state) {
    (void)state;
    assert_in_range(count_excluding_one(10, 3, 400), 1, 28); /* at most 7 % */
    assert_in_range(count_excluding_one(8, 2, 400), 1, 28);
    assert_in_range(count_excluding_one(5, 3, 400), 1, 36);
}

/* What the intervals did before: rounds of one process count as independent. */
static void test_intervals_over_rounds_alone_do_not(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 23);
    int excluding = 0;
    for (int experiment = 0; experiment < 100; experiment++) {
        double x[21], y[21], placement = 0.03 * about_normal(&random);
        for (size_t i = 0; i < COUNT(x); i++) {
            x[i] = exp(placement + 0.02 * about_normal(&random));
            y[i] = 1;
        }
        struct ratio ratio = ratio_of(x, y, COUNT(x), 0);
        excluding += ratio.interval.low > 1 || ratio.interval.high < 1;
    }
    assert_true(excluding > 50);
}

static void test_more_confidence_widens_the_interval(void **state) {
    (void)state;
    double x[30];
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = random_double(&random);
    struct placed_samples samples = {x, COUNT(x), 2};
    struct interval narrow = placements_median_interval(samples, 0.8, 1);
    struct interval wide = placements_median_interval(samples, 0.995, 1);
    assert_true(wide.low < narrow.low && narrow.high < wide.high);
}

/* Moore and McCabe, "Introduction to the Practice of Statistics", section 7.1: vitamin C in eight
 * lots of a product. The mean is 22.5, and the 95 % interval is printed as 16.5 to 28.5. */
static void test_the_t_interval_is_the_published_one(void **state) {
    (void)state;
    const double x[] = {26, 31, 23, 22, 11, 22, 14, 31};
    struct interval interval = placements_t_interval((struct placed_samples){x, COUNT(x), 1}, 0.95);
    assert_near(interval.low, 16.5, 0.05);
    assert_near(interval.high, 28.5, 0.05);
}

/* Efron, "Bootstrap methods: another look at the jackknife", 1979, section 3: of 13 values, the
 * bootstrap median is below the 4th with probability 0.0157 and below the 5th with 0.0707. */
static void test_the_bootstrap_of_a_median_is_the_published_one(void **state) {
    (void)state;
    double x[13];
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = (double)(i + 1);
    struct interval interval = one_placement(x, COUNT(x), 1);
    assert_true(interval.low == 4 && interval.high == 10);
}

static void test_clear_ratios_are_beyond_a_margin(void **state) {
    (void)state;
    const double y[] = {1, 1, 1, 1}, twice[] = {2, 2.02, 2.04, 2}, near[] = {1.2, 1.05, 1.3, 1.1},
                 within[] = {1.05, 1.06, 1.05, 1.06};
    struct placed_samples base = {y, 4, 1};
    assert_true(placements_ratio_is_beyond((struct placed_samples){twice, 4, 1}, base, 0.1, 0.999));
    assert_true(placements_ratio_is_beyond(base, (struct placed_samples){twice, 4, 1}, 0.1, 0.999));
    assert_false(placements_ratio_is_beyond((struct placed_samples){near, 4, 1}, base, 0.1, 0.999));
    assert_false(
        placements_ratio_is_beyond((struct placed_samples){within, 4, 1}, base, 0.1, 0.999));
    assert_false(
        placements_ratio_is_beyond((struct placed_samples){twice, 1, 1}, base, 0.1, 0.999));
    const double less[] = {0.6, 0.61, 0.6, 0.61}; /* above 1 - 0.5, but below 1 / (1 + 0.5) */
    assert_false(placements_ratio_is_beyond((struct placed_samples){less, 4, 1}, base, 0.5, 0.95));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_few_samples_give_nan),
        cmocka_unit_test(test_a_nan_sample_gives_nan),
        cmocka_unit_test(test_bootstrap_repeats_by_seed_and_stays_within_the_samples),
        cmocka_unit_test(test_bootstrap_of_two_samples_spans_both),
        cmocka_unit_test(test_bootstrap_of_an_even_number_takes_both_middle_ranks),
        cmocka_unit_test(test_bootstrap_has_the_width_that_theory_gives),
        cmocka_unit_test(test_bootstrap_covers_the_true_median),
        cmocka_unit_test(test_paired_ratio_is_blind_to_what_both_share),
        cmocka_unit_test(test_the_median_is_that_of_the_placements_medians),
        cmocka_unit_test(test_repetitions_in_a_placement_are_no_evidence),
        cmocka_unit_test(test_intervals_over_placements_cover_the_truth),
        cmocka_unit_test(test_intervals_over_rounds_alone_do_not),
        cmocka_unit_test(test_more_confidence_widens_the_interval),
        cmocka_unit_test(test_the_t_interval_is_the_published_one),
        cmocka_unit_test(test_the_bootstrap_of_a_median_is_the_published_one),
        cmocka_unit_test(test_clear_ratios_are_beyond_a_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
