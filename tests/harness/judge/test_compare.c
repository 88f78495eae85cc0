#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/compare.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%g instead of %g", value, expected);
}

static const struct panel panel = {
    .points = {{.kind = "synthetic", .depth = 3, .features = 32, .trees = 1, .threads = 1},
               {.kind = "synthetic", .depth = 5, .features = 32, .trees = 1, .threads = 1}},
    .n_points = 2,
    .v = 8};
#define AT (&panel.points[0])

static void times_are_of_the_variant_at_the_point(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "vpred,v=8", 10);
    made_up_add(&made, 3, 32, 1, "vpred,v=8", 14);
    made_up_add(&made, 3, 32, 0, "vpred,v=4", 99);
    made_up_add(&made, 5, 32, 0, "vpred,v=8", 98);
    made_up_add(&made, 3, 64, 0, "vpred,v=8", 97);
    made_up_add(&made, 3, 32, 2, "vpred,v=8", 96)->status = ROW_WRONG;
    snprintf(made_up_add(&made, 3, 32, 2, "vpred,v=8", 95)->workload.kind, 16, "files");
    /* by hand: 140 under the root; half width of the logarithms 12.7062 * (ln 1.4 / sqrt 2) / sqrt
     * 2 */
    struct estimate time = compare_time(made_up_index(&made), AT, "vpred,v=8");
    assert_int_equal(time.trials, 2);
    assert_near(time.mean, sqrt(140), 1e-9);
    double half = 12.7062 * log(1.4) / 2;
    assert_near(log(time.interval.low), log(140) / 2 - half, 1e-3);
    assert_near(log(time.interval.high), log(140) / 2 + half, 1e-3);
    made_up_free(&made);
}

/* 10, 10 and 80: neither their median nor their mean. */
static void a_time_is_the_geometric_mean_over_trials(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    for (uint32_t trial = 0; trial < 3; trial++)
        made_up_add(&made, 3, 32, trial, "vpred,v=8", trial == 1 ? 80 : 10);
    assert_near(compare_time(made_up_index(&made), AT, "vpred,v=8").mean, 20, 1e-9);
    made_up_free(&made);
}

static void less_may_be_more(void **state) {
    (void)state;
    static const struct {
        double less;
        struct interval interval;
        const char *text;
    } cases[] = {{0.36, {0.3, 0.414}, "36 % [30, 41]"},
                 {-0.74, {-0.9, -0.6}, "74 % more [60, 90]"},
                 {-0.03, {-0.08, 0.02}, "3 % more [-2, 8]"},
                 {-0.74, {NAN, NAN}, "74 % more"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[COMPARE_LESS_SIZE];
        compare_describe_less(cases[i].less, cases[i].interval, "", text);
        assert_string_equal(text, cases[i].text);
    }
    char text[COMPARE_LESS_SIZE];
    compare_describe_less(0.36, cases[0].interval, " less", text);
    assert_string_equal(text, "36 % less [30, 41]");
}

static void without_rows_all_is_nan(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "pred", 10);
    char best[ROW_NAME_SIZE];
    assert_true(isnan(compare_time(made_up_index(&made), AT, "codegen").mean));
    assert_true(isnan(compare_ratio(made_up_index(&made), AT, "pred", "codegen").value));
    assert_true(isnan(compare_operand_ratio(&(struct place){made_up_index(&made), &panel, AT},
                                            "pred", "vpred,v=best")
                          .value));
    assert_false(compare_best_variant(made_up_index(&made), &panel, "vpred", best, sizeof best));
    made_up_free(&made);
}

static void ratio_is_the_geometric_mean_over_trials(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "pred", 20);
    made_up_add(&made, 3, 32, 0, "codegen", 10); /* 2 */
    made_up_add(&made, 3, 32, 1, "pred", 80);
    made_up_add(&made, 3, 32, 1, "codegen", 10); /* 8 */
    struct ratio ratio = compare_ratio(made_up_index(&made), AT, "pred", "codegen");
    assert_near(ratio.value, 4, 1e-9);
    /* by hand: logs 2 and 8 in base e; half width 12.7062 * (ln 4 / sqrt 2) / sqrt 2 */
    double half = 12.7062 * log(4) / 2;
    assert_near(log(ratio.interval.low), log(4) - half, 1e-3);
    assert_near(log(ratio.interval.high), log(4) + half, 1e-3);
    made_up_free(&made);
}

static void one_trial_has_the_interval_over_rounds(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "pred", 20);
    made_up_add(&made, 3, 32, 0, "codegen", 10)->samples.cpu[3] = 8; /* ratios 2 and one 2.5 */
    struct ratio ratio = compare_ratio(made_up_index(&made), AT, "pred", "codegen");
    assert_near(ratio.value, 2, 1e-9);
    assert_near(ratio.interval.low, 2, 1e-9);
    assert_true(ratio.interval.high >= 2 && ratio.interval.high <= 2.5 + 1e-9);
    made_up_free(&made);
}

static void what_was_not_sampled_together_is_not_paired(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "pred", 20);
    snprintf(made_up_add(&made, 3, 32, 0, "codegen", 10)->cell, ROW_NAME_SIZE, "other");
    assert_true(isnan(compare_ratio(made_up_index(&made), AT, "pred", "codegen").value));
    made_up_free(&made);
}

/* In trial 0 v = 8 wins over both depths together, though v = 4 wins one; later trials differ. */
static void best_is_chosen_on_trial_0_and_judged_on_the_others(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    made_up_add(&made, 3, 32, 0, "vpred,v=4", 9);
    made_up_add(&made, 5, 32, 0, "vpred,v=4", 40);
    made_up_add(&made, 3, 32, 0, "vpred,v=8", 10);
    made_up_add(&made, 5, 32, 0, "vpred,v=8", 20);
    made_up_add(&made, 3, 32, 0, "vpred,v=16", 1); /* has no time at depth 5: no candidate */
    made_up_add(&made, 3, 32, 0, "vpred-heap,v=8", 1);
    made_up_add(&made, 3, 32, 0, "vpred,unroll=full,v=16", 1); /* not only another v */
    made_up_add(&made, 5, 32, 0, "vpred,unroll=full,v=16", 1);
    made_up_add(&made, 3, 32, 0, "pred", 20);
    made_up_add(&made, 3, 32, 1, "vpred,v=4", 1);
    made_up_add(&made, 3, 32, 1, "vpred,v=8", 12);
    made_up_add(&made, 3, 32, 1, "pred", 36);
    char best[ROW_NAME_SIZE];
    assert_true(compare_best_variant(made_up_index(&made), &panel, "vpred", best, sizeof best));
    assert_string_equal(best, "vpred,v=8");
    assert_near(
        compare_operand_time(&(struct place){made_up_index(&made), &panel, AT}, "vpred,v=best")
            .mean,
        12, 1e-9);
    assert_near(compare_operand_ratio(&(struct place){made_up_index(&made), &panel, AT}, "pred",
                                      "vpred,v=best")
                    .value,
                3, 1e-9);
    compare_operand_variant(&(struct place){made_up_index(&made), &panel, AT}, "vpred=best", best,
                            sizeof best);
    assert_string_equal(best, "vpred,unroll=full,v=16"); /* at this point, with all options */
    /* without a best, every trial counts: sqrt(20 / 10 * 36 / 12) */
    assert_near(compare_operand_ratio(&(struct place){made_up_index(&made), &panel, AT}, "pred",
                                      "vpred,v=8")
                    .value,
                sqrt(6), 1e-9);
    made_up_free(&made);
}

static void add_order(struct made_up *made, const char *variant, const char *order, uint64_t block,
                      double ns) {
    struct row *row = made_up_add(made, 3, 32, 0, variant, ns);
    snprintf(row->order, sizeof row->order, "%s", order);
    row->doc_block = block;
    row->workload.documents = 1000;
}

static void orders_with_the_same_blocks_are_one(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    add_order(&made, "struct,order=DSD2", "DSD", 500, 2);
    add_order(&made, "struct,order=DSD3", "DSD", 1000, 3);
    add_order(&made, "struct,d=5000,order=DSD", "DSD", 5000, 4);
    add_order(&made, "struct,order=SDSD", "SDSD", 1000, 5);
    const struct row_index *index = made_up_index(&made);
    const char *const all = "struct,order=DSD3";
    assert_true(compare_operands_are_one(&(struct place){index, &panel, AT}, all,
                                         "struct,d=5000,order=DSD"));
    assert_false(
        compare_operands_are_one(&(struct place){index, &panel, AT}, all, "struct,order=DSD2"));
    assert_false(
        compare_operands_are_one(&(struct place){index, &panel, AT}, all, "struct,order=SDSD"));
    assert_true(isnan(
        compare_operand_ratio(&(struct place){index, &panel, AT}, all, "struct,d=5000,order=DSD")
            .value));
    made_up_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_of_the_variant_at_the_point),
        cmocka_unit_test(without_rows_all_is_nan),
        cmocka_unit_test(a_time_is_the_geometric_mean_over_trials),
        cmocka_unit_test(less_may_be_more),
        cmocka_unit_test(ratio_is_the_geometric_mean_over_trials),
        cmocka_unit_test(one_trial_has_the_interval_over_rounds),
        cmocka_unit_test(what_was_not_sampled_together_is_not_paired),
        cmocka_unit_test(best_is_chosen_on_trial_0_and_judged_on_the_others),
        cmocka_unit_test(orders_with_the_same_blocks_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
