#include "harness/regress/sequential.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static const struct sequential_rule rule = {0.01, 0.03, 0.01};

static double about_normal(struct random *random) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_double(random);
    return sum;
}

/* One value in twenty is disturbed: it lies ten times as far off. */
static double disturbed(struct random *random) {
    return about_normal(random) * (random_below(random, 20) ? 1 : 10);
}

/* Counts the verdicts of whole tests. Values are `slowdown` plus noise of the given spread. */
static void simulate(double slowdown, double spread, double (*noise)(struct random *), int tests,
                     int counts[SEQUENTIAL_UNCLEAR + 1]) {
    struct random random;
    random_seed(&random, 41);
    for (int i = 0; i <= SEQUENTIAL_UNCLEAR; i++)
        counts[i] = 0;
    for (int test = 0; test < tests; test++) {
        double logs[SEQUENTIAL_MOST];
        struct sequential_state state = {SEQUENTIAL_OPEN, {0, {0, 0}}};
        for (size_t n = 1; n <= SEQUENTIAL_MOST && state.verdict == SEQUENTIAL_OPEN; n++) {
            logs[n - 1] = log1p(slowdown) + spread * noise(&random);
            state = sequential_judge(logs, n, &rule);
        }
        counts[state.verdict]++;
    }
}

static void equal_code_hardly_ever_alarms(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    static const double spreads[] = {0.01, 0.02, 0.04, 0.08};
    for (size_t i = 0; i < 4; i++) {
        simulate(0, spreads[i], about_normal, 500, counts);
        assert_in_range(counts[SEQUENTIAL_REGRESSION], 0, 5);
        simulate(0, spreads[i], disturbed, 500, counts);
        assert_in_range(counts[SEQUENTIAL_REGRESSION], 0, 5);
    }
}

/* At the margin itself, alarms must stay rare too. */
static void a_slowdown_at_the_margin_hardly_ever_alarms(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    simulate(0.01, 0.03, about_normal, 500, counts);
    assert_in_range(counts[SEQUENTIAL_REGRESSION], 0, 10);
}

static void slowdowns_of_five_percent_are_found(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    simulate(0.05, 0.02, about_normal, 300, counts);
    assert_in_range(counts[SEQUENTIAL_REGRESSION], 297, 300);
    simulate(0.05, 0.04, disturbed, 300, counts);
    assert_in_range(counts[SEQUENTIAL_REGRESSION], 285, 300);
}

static void equal_code_ends_early_with_none(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    simulate(0, 0.02, about_normal, 300, counts);
    assert_in_range(counts[SEQUENTIAL_NONE], 290, 300);
}

static void faster_code_is_told(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    simulate(-0.1, 0.02, about_normal, 100, counts);
    assert_int_equal(counts[SEQUENTIAL_FASTER], 100);
}

/* A slowdown between margin and tolerance is neither excluded nor certain. */
static void too_much_noise_stays_unclear(void **state) {
    (void)state;
    int counts[SEQUENTIAL_UNCLEAR + 1];
    simulate(0.025, 0.2, about_normal, 50, counts);
    assert_in_range(counts[SEQUENTIAL_UNCLEAR], 45, 50);
}

static void only_looks_decide(void **state) {
    (void)state;
    double logs[SEQUENTIAL_MOST];
    for (size_t i = 0; i < SEQUENTIAL_MOST; i++)
        logs[i] = log(2) + 1e-3 * (double)(i % 3);
    assert_int_equal(sequential_judge(logs, 9, &rule).verdict, SEQUENTIAL_OPEN);
    struct sequential_state judged = sequential_judge(logs, 10, &rule);
    assert_int_equal(judged.verdict, SEQUENTIAL_REGRESSION);
    assert_true(judged.ratio.interval.low < 2.003 && judged.ratio.interval.high > 2);
    assert_int_equal(sequential_judge(logs, 11, &rule).verdict, SEQUENTIAL_OPEN);
}

/* Values that are all equal have no spread, and decide at once. */
static void counts_decide_at_the_first_look(void **state) {
    (void)state;
    double logs[10] = {0};
    assert_int_equal(sequential_judge(logs, 10, &rule).verdict, SEQUENTIAL_NONE);
    for (size_t i = 0; i < 10; i++)
        logs[i] = log(1.02);
    assert_int_equal(sequential_judge(logs, 10, &rule).verdict, SEQUENTIAL_REGRESSION);
}

static void layouts_must_agree(void **state) {
    (void)state;
    const double all[] = {0.050, 0.052, 0.049, 0.051}, one[] = {0.05, 0.0, -0.01, 0.01};
    assert_int_equal(sequential_judge_layouts(all, 4, 3, &rule).verdict, SEQUENTIAL_REGRESSION);
    assert_int_equal(sequential_judge_layouts(one, 4, 3, &rule).verdict, SEQUENTIAL_OPEN);
}

/* Each look takes its part of the allowed rate of alarms. */
static void more_looks_need_clearer_layouts(void **state) {
    (void)state;
    const double logs[] = {0.035, 0.065, 0.045, 0.055};
    assert_int_equal(sequential_judge_layouts(logs, 4, 1, &rule).verdict, SEQUENTIAL_REGRESSION);
    assert_int_equal(sequential_judge_layouts(logs, 4, 7, &rule).verdict, SEQUENTIAL_OPEN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_code_hardly_ever_alarms),
        cmocka_unit_test(a_slowdown_at_the_margin_hardly_ever_alarms),
        cmocka_unit_test(slowdowns_of_five_percent_are_found),
        cmocka_unit_test(equal_code_ends_early_with_none),
        cmocka_unit_test(faster_code_is_told),
        cmocka_unit_test(too_much_noise_stays_unclear),
        cmocka_unit_test(only_looks_decide),
        cmocka_unit_test(counts_decide_at_the_first_look),
        cmocka_unit_test(layouts_must_agree),
        cmocka_unit_test(more_looks_need_clearer_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
