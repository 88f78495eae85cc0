/* Placed float32 values are decided like the doubles they come from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "models/placing.h"
#include "tests/models/reading.h"

/* One tree per threshold of feature 0, with the values 1, 2, 4, ... on the right. */
static struct ensemble *stumps(const double *thresholds, size_t n, bool compares_doubles) {
    struct ensemble *e = NULL;
    struct error error = {""};
    struct ensemble_builder *b = ensemble_builder_create();
    for (size_t i = 0; i < n; i++) {
        ensemble_builder_add_tree(b, 0);
        ensemble_builder_add_inner(
            b, &(struct inner_node){.threshold = thresholds[i], .left = 1, .right = 2});
        ensemble_builder_add_leaf(b, 0, 0);
        ensemble_builder_add_leaf(b, ldexp(1, (int)i), 0);
    }
    const struct ensemble_shape shape = {.n_features = 2, .compares_doubles = compares_doubles};
    if (ensemble_builder_finish(b, &shape, &e, &error))
        fail_msg("%s", error.text);
    return e;
}

static double score_of_doubles(const double *thresholds, size_t n, double x) {
    double score = 0;
    for (size_t i = 0; i < n; i++)
        score += x <= thresholds[i] ? 0 : ldexp(1, (int)i);
    return score;
}

static void assert_placed(const struct ensemble *e, const struct placing *placing,
                          const double *thresholds, size_t n, double x) {
    const double values[2] = {x, 0};
    const float row[2] = {placing_place(placing, 0, x), 0};
    float placed[2];
    placing_place_row(placing, values, 2, placed);
    double score = score_by_walking(e, row, 0), right = score_of_doubles(thresholds, n, x);
    if (score != right)
        fail_msg("%.17g, placed at %.9g, scores %g, not %g", x, (double)row[0], score, right);
    if (score_by_walking(e, placed, 0) != right)
        fail_msg("%.17g, placed at %.9g with its row, is wrong", x, (double)placed[0]);
}

/* Values at the thresholds, one ulp of double and of float32 to each side, in between, and at the
 * ends. */
static void check_thresholds(const double *thresholds, size_t n, bool coded) {
    struct ensemble *e = stumps(thresholds, n, true);
    struct placing *placing;
    struct error error;
    assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
    assert_int_equal(placing_is_coded(placing, 0), coded);
    assert_int_equal(placing_count_coded(placing), coded);
    for (size_t i = 0; i < n && coded; i++)
        assert_true(e->threshold_double[i] == (double)e->threshold[i]);
    for (size_t i = 0; i < n; i++) {
        const double t = thresholds[i], huge = HUGE_VAL;
        const double values[] = {t,
                                 nextafter(t, huge),
                                 nextafter(t, -huge),
                                 (double)(float)t,
                                 (double)nextafterf((float)t, INFINITY),
                                 (double)nextafterf((float)t, -INFINITY),
                                 i ? (t + thresholds[i - 1]) / 2 : -t,
                                 1e300,
                                 -1e300,
                                 huge,
                                 -huge,
                                 0,
                                 -0.0,
                                 5e-324};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            assert_placed(e, placing, thresholds, n, values[k]);
    }
    assert_true(isnan(placing_place(placing, 0, (double)NAN)));
    placing_free(placing);
    ensemble_free(e);
}

static void test_decimals(void **state) {
    (void)state;
    const double decimals[] = {0.15000000000000005,   0.25000000000000006, 0.1, 1e300, -1e300,
                               1.0000000180025095e-35};
    check_thresholds(decimals, sizeof decimals / sizeof *decimals, false);
    check_thresholds((const double[]){-0.0}, 1, false);
    struct ensemble *e = stumps(decimals, 1, true);
    struct placing *placing;
    struct error error;
    assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
    assert_true((double)placing_place(placing, 0, 0.15) <
                0.15); /* the nearest float32 is above it */
    assert_true(placing_place(placing, 0, 0.5) == 0.5F);
    assert_true(placing_place(placing, 1, 0.15) == 0.15F); /* not tested by any node */
    placing_free(placing);
    ensemble_free(e);
}

static void test_close_thresholds_are_coded(void **state) {
    (void)state;
    const double seconds[] = {1700000000.5, 1700000001.5, 1700000002.5, 1700086399.5};
    check_thresholds(seconds, sizeof seconds / sizeof *seconds, true);
    const double ulps[] = {0.3, 0.30000000000000004};
    check_thresholds(ulps, 2, true);
}

/* The ranks of each feature begin at 0. */
static void test_ranks_of_a_later_feature(void **state) {
    (void)state;
    struct ensemble *e = stumps((const double[]){1e9, 1e9 + 0.5, 1e9 + 0.75}, 3, true);
    struct placing *placing;
    struct error error;
    e->feature[1] = e->feature[2] = 1;
    assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
    assert_false(placing_is_coded(placing, 0));
    assert_true(placing_is_coded(placing, 1));
    assert_true(placing_place(placing, 1, 1e9) == 0);
    assert_true(placing_place(placing, 1, 1e9 + 0.6) == 1);
    assert_true(placing_place(placing, 1, 2e9) == 2);
    assert_true(e->threshold[1] == 0 && e->threshold[2] == 1);
    placing_free(placing);
    ensemble_free(e);
}

static void test_random_thresholds(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 7);
    for (int repeat = 0; repeat < 200; repeat++) {
        double thresholds[20];
        size_t n = 1 + (size_t)random_below(&random, 20);
        double scale = ldexp(1, (int)random_below(&random, 40) - 20);
        for (size_t i = 0; i < n; i++)
            thresholds[i] = scale * (double)random_below(&random, 1000) / 7;
        struct ensemble *e = stumps(thresholds, n, true);
        struct placing *placing;
        struct error error;
        assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
        for (int i = 0; i < 2000; i++) {
            double x = thresholds[random_below(&random, n)];
            int steps = (int)random_below(&random, 5) - 2;
            for (; steps; steps += steps < 0 ? 1 : -1)
                x = nextafter(x, steps < 0 ? -HUGE_VAL : HUGE_VAL);
            assert_placed(e, placing, thresholds, n, x);
            assert_placed(e, placing, thresholds, n, scale * random_double(&random) * 1000);
        }
        placing_free(placing);
        ensemble_free(e);
    }
}

static void test_sets_are_coded(void **state) {
    (void)state;
    const double cuts[] = {1e9 + 0.5, 1e9 + 1.5, 1e9 + 2.5};
    struct ensemble *e = NULL;
    struct error error;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b, &(struct inner_node){.cuts = cuts, .n_cuts = 3, .left = 1, .right = 2});
    ensemble_builder_add_leaf(b, 1, 0);
    ensemble_builder_add_leaf(b, 2, 0);
    const struct ensemble_shape shape = {.n_features = 1, .compares_doubles = true};
    assert_int_equal(ensemble_builder_finish(b, &shape, &e, &error), STATUS_OK);
    struct placing *placing;
    assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
    assert_true(placing_is_coded(placing, 0));
    assert_true(e->threshold[0] == e->cut[0]);
    assert_true(e->threshold_double[0] == (double)e->threshold[0]);
    for (int i = 0; i < 5; i++) {
        const float x = placing_place(placing, 0, 1e9 + i);
        assert_true(score_by_walking(e, &x, 0) == (i == 0 || i == 2 ? 1 : 2));
    }
    placing_free(placing);
    ensemble_free(e);
}

static void test_float_models_need_none(void **state) {
    (void)state;
    struct ensemble *e = stumps((const double[]){0.5}, 1, false);
    struct placing *placing;
    struct error error;
    assert_int_equal(placing_create(e, &placing, &error), STATUS_OK);
    assert_null(placing);
    assert_true(placing_place(NULL, 0, 0.15) == 0.15F);
    assert_int_equal(placing_count_coded(NULL), 0);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_close_thresholds_are_coded),
        cmocka_unit_test(test_ranks_of_a_later_feature),
        cmocka_unit_test(test_random_thresholds),
        cmocka_unit_test(test_sets_are_coded),
        cmocka_unit_test(test_float_models_need_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
