/* Predicted times and blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/caches/predict.h"
#include "tests/harness/caches/paper.h"
#include "tests/harness/near.h"

#include <math.h>

static size_t all_candidates(const struct blocking_problem *problem,
                             struct blocking_candidate *list) {
    const struct candidate_request all = {.cases = CASES_ALL};
    bool by_proposition;
    return candidates_list(problem, &all, list, &by_proposition);
}

static void a_fit_finds_what_the_times_were_made_of(void **state) {
    (void)state;
    struct blocking_problem truth = paper_problem(PAPER_YAHOO_50, 0.7);
    struct blocking_problem guess = paper_problem(PAPER_YAHOO_50, 0.3);
    struct blocking_candidate list[CANDIDATES_MOST];
    double ns[CANDIDATES_MOST];
    size_t n = all_candidates(&truth, list);
    for (size_t i = 0; i < n; i++)
        ns[i] = 5 + 1.5 * candidate_cost(&truth, &list[i]);
    ns[3] = NAN; /* could not be measured */
    struct cost_fit fit;
    assert_true(cost_fit(&guess, list, ns, n, &fit));
    assert_near(fit.rates.l1, 0.7, 1e-9);
    assert_near(fit.rates.l2, 0.7, 1e-9);
    assert_near(fit.t0, 5, 1e-6);
    assert_near(fit.t1, 1.5, 1e-6);
    assert_near(fit.error, 0, 1e-6);
    assert_near(fit.correlation, 1, 1e-6);
}

static void times_that_fall_with_cost_get_no_negative_slope(void **state) {
    (void)state;
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    struct blocking_candidate list[CANDIDATES_MOST];
    double ns[CANDIDATES_MOST];
    size_t n = all_candidates(&problem, list);
    for (size_t i = 0; i < n; i++)
        ns[i] = 1000 - candidate_cost(&problem, &list[i]);
    struct cost_fit fit;
    assert_true(cost_fit_times(&problem, list, ns, n, &fit));
    assert_true(fit.t0 > 0);
    assert_near(fit.t1, 0, 0);
    for (size_t i = 0; i < n; i++) /* too steep for a positive t0 */
        ns[i] = pow(candidate_cost(&problem, &list[i]), 2);
    assert_true(cost_fit_times(&problem, list, ns, n, &fit));
    assert_true(fit.t0 >= 0 && fit.t1 >= 0);
}

static void few_times_are_not_fitted(void **state) {
    (void)state;
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    struct blocking_candidate list[CANDIDATES_MOST];
    static const double ns[] = {1, 2, NAN};
    struct cost_fit fit;
    all_candidates(&problem, list);
    assert_false(cost_fit(&problem, list, ns, 3, &fit));
    assert_false(cost_fit(&problem, list, ns, 0, &fit));
}

/* t0 + t1 * T on the paper's own times: T ranks them, and the fit is better than T alone. */
static void fits_of_table_4(void **state) {
    (void)state;
    double times[PAPER_WORKLOADS][RANGE_CASES], ds[PAPER_WORKLOADS];
    assert_int_equal(paper_read_times(times, ds), PAPER_WORKLOADS);
    for (size_t w = 0; w < PAPER_WORKLOADS; w++) {
        struct blocking_problem problem = paper_problem(w, 0.3);
        struct blocking_candidate list[RANGE_CASES];
        for (size_t i = 0; i < RANGE_CASES; i++) {
            const struct range_case *c = &range_cases[i];
            list[i] = (struct blocking_candidate){.range_case = *c,
                                                  .blocking = blocking_of_case(&problem, c, 0.5)};
        }
        struct cost_fit fit;
        assert_true(cost_fit(&problem, list, times[w], RANGE_CASES, &fit));
        assert_true(fit.t0 > 0 && fit.t1 > 0);
        assert_true(fit.correlation > 0.8);
        assert_true(fit.error < 0.3);
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

static struct plan predict(enum order order, size_t docs, size_t units) {
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    struct order_choice choice = {.order = order, .d = docs, .s = units};
    predict_blocks(&problem, &choice);
    return (struct plan){.doc_block = choice.d, .unit_block = choice.s};
}

static void missing_blocks_are_predicted(void **state) {
    (void)state;
    struct plan plan = predict(ORDER_DSD, 0, 0);
    assert_int_equal(plan.doc_block, 374);
    assert_int_equal(plan.unit_block, 0);
    plan = predict(ORDER_SDS, 0, 0);
    assert_int_equal(plan.doc_block, 0);
    assert_int_equal(plan.unit_block, 327);
    plan = predict(ORDER_DSDS, 0, 0); /* DSD2S1 */
    assert_int_equal(plan.doc_block, 374);
    assert_int_equal(plan.unit_block, 5);
    plan = predict(ORDER_SDSD, 0, 0); /* SDS2D1 costs 3.71, SDS2D2 4.46 */
    assert_int_equal(plan.doc_block, 5);
    assert_int_equal(plan.unit_block, 327);
    plan = predict(ORDER_DSSD, 0, 0);
    assert_int_equal(plan.doc_block, 374);
    assert_true(plan.unit_block > 0);
}

static void typed_blocks_stay(void **state) {
    (void)state;
    struct plan plan = predict(ORDER_DSD, 77, 0);
    assert_int_equal(plan.doc_block, 77);
    plan = predict(ORDER_DSDS, 300, 0);
    assert_int_equal(plan.doc_block, 300);
    assert_int_equal(plan.unit_block, 5);
    plan = predict(ORDER_SDSD, 0, 100); /* fits L2 */
    assert_int_equal(plan.unit_block, 100);
    assert_int_equal(plan.doc_block, 5);
    plan = predict(ORDER_DSDS, 3, 9); /* no case: 9 trees need L2, 3 documents fit L1 */
    assert_int_equal(plan.doc_block, 3);
    assert_int_equal(plan.unit_block, 9);
    plan = predict(ORDER_DS, 0, 0);
    assert_int_equal(plan.doc_block, 0);
    plan = predict(ORDER_DSDS, 3, 0);
    assert_true(plan.unit_block > 0);
}

static const struct impl made_up_impl = {.name = "made-up"};
static const struct scorer made_up_scorer = {
    .impl = &made_up_impl, .n_units = 1000, .lanes = 8, .bytes = 3000000, .n_features = 700};

static struct plan plan_of(const char *name, unsigned threads) {
    const struct matrix documents = {.n_rows = 5000, .stride = 704};
    struct order_choice choice;
    struct plan plan = {.threads = threads};
    assert_int_equal(order_choice_parse(name, "", &choice, NULL), STATUS_OK);
    assert_int_equal(order_choice_plan(&choice, &made_up_scorer, &documents, &plan, NULL),
                     STATUS_OK);
    return plan;
}

static void sizes_are_chosen_within_the_workload(void **state) {
    (void)state;
    for (unsigned threads = 0; threads < 3; threads++) {
        struct plan plan = plan_of("SDSD", threads);
        assert_int_equal(plan.order, ORDER_SDSD);
        assert_true(plan.doc_block >= 8 && plan.doc_block <= 5000 && plan.doc_block % 8 == 0);
        assert_true(plan.unit_block >= 1 && plan.unit_block <= 1000);
    }
}

/* Larger levels hold larger blocks, whatever this machine has. Level 4 holds everything. */
static void cases_fit_the_caches_of_this_machine(void **state) {
    (void)state;
    struct plan small = plan_of("DSD1S1", 1), large = plan_of("DSD3S1", 1);
    assert_int_equal(small.order, ORDER_DSDS);
    assert_true(small.doc_block < large.doc_block);
    assert_int_equal(small.unit_block, large.unit_block);
    struct plan all = plan_of("SDS4D4", 1);
    assert_int_equal(all.doc_block, 5000);
    assert_int_equal(all.unit_block, 1000);
    struct blocking_machine machine;
    blocking_machine_read(1, &machine);
    const size_t fits = (size_t)(machine.bytes[0] / (4 * 704)); /* 0.5 / 0.5 */
    assert_true(small.doc_block >= fits && small.doc_block < fits + 8);
}

static void typed_sizes_need_no_chooser(void **state) {
    (void)state;
    const struct order_choice choice = {.is_given = true, .order = ORDER_DSDS, .d = 7, .s = 3};
    struct plan plan = {.threads = 1};
    assert_int_equal(order_choice_plan(&choice, &made_up_scorer, NULL, &plan, NULL), STATUS_OK);
    assert_int_equal(plan.doc_block, 7);
    assert_int_equal(plan.unit_block, 3);
}

static void quickscorer_reads_four_arrays(void **state) {
    (void)state;
    static const struct impl trees = {.name = "struct-plus"},
                             blocks = {.name = "vqs-avx2", .lambda = 4};
    struct blocking_problem problem;
    struct scorer scorer = {.impl = &trees, .n_units = 10, .bytes = 1000};
    blocking_problem_of_scorer(&scorer, 100, 40, &blocking_machine_fx8120, &problem);
    assert_near(problem.workload.lambda, 1, 0);
    assert_near(problem.workload.unit_bytes, 100, 0);
    assert_int_equal(problem.lanes, 1);
    scorer.impl = &blocks;
    blocking_problem_of_scorer(&scorer, 100, 40, &blocking_machine_fx8120, &problem);
    assert_near(problem.workload.lambda, 4, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_finds_what_the_times_were_made_of),
        cmocka_unit_test(times_that_fall_with_cost_get_no_negative_slope),
        cmocka_unit_test(few_times_are_not_fitted),
        cmocka_unit_test(fits_of_table_4),
        cmocka_unit_test(missing_blocks_are_predicted),
        cmocka_unit_test(typed_blocks_stay),
        cmocka_unit_test(sizes_are_chosen_within_the_workload),
        cmocka_unit_test(cases_fit_the_caches_of_this_machine),
        cmocka_unit_test(typed_sizes_need_no_chooser),
        cmocka_unit_test(quickscorer_reads_four_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
