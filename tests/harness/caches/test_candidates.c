/* Proposition 1 of jin2016, its variation, and candidates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/harness/caches/paper.h"
#include "tests/harness/near.h"

#include <math.h>

static const char *names_of(const struct range_case *cases, size_t n) {
    static char all[256];
    char name[RANGE_CASE_NAME];
    all[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        range_case_name(&cases[i], name);
        strcat(strcat(all, name), " ");
    }
    return all;
}

static const char *proposed(const struct blocking_problem *problem) {
    struct range_case cases[PROPOSITION_CASES];
    size_t n = proposition_cases(problem, cases);
    return names_of(cases, n);
}

/* Section 5.2: four cases, and six with 150 leaves. */
static void cases_of_the_papers_workloads(void **state) {
    (void)state;
    for (size_t i = 0; i < PAPER_WORKLOADS; i++) {
        struct blocking_problem problem = paper_problem(i, 1);
        assert_string_equal(proposed(&problem), i == PAPER_YAHOO_150
                                                    ? "DSD2 DSD2S1 SDS2D1 SDS2D2 SDS3D1 SDS3D2 "
                                                    : "DSD2 DSD2S1 SDS2D1 SDS2D2 ");
    }
}

/* The proposition is true of the paper's own times: of all 28 cases, the fastest is a candidate. */
static void the_fastest_case_of_table_4_is_proposed(void **state) {
    (void)state;
    double times[PAPER_WORKLOADS][RANGE_CASES], ds[PAPER_WORKLOADS];
    assert_int_equal(paper_read_times(times, ds), PAPER_WORKLOADS);
    for (size_t w = 0; w < PAPER_WORKLOADS; w++) {
        struct blocking_problem problem = paper_problem(w, 1);
        size_t best = 0;
        char name[RANGE_CASE_NAME];
        for (size_t i = 0; i < RANGE_CASES; i++)
            best = times[w][i] < times[w][best] ? i : best;
        range_case_name(&range_cases[best], name);
        assert_non_null(strstr(proposed(&problem), name));
    }
}

static void large_trees_and_documents_have_no_proposition(void **state) {
    (void)state;
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 1);
    problem.workload.unit_bytes = 20000; /* over L1 */
    blocking_problem_init(&problem);
    assert_string_equal(proposed(&problem), "");
    problem = paper_problem(PAPER_YAHOO_50, 1);
    problem.workload.doc_bytes = 20000;
    blocking_problem_init(&problem);
    assert_string_equal(proposed(&problem), "");
    problem = paper_problem(PAPER_YAHOO_50, 1);
    problem.workload.unit_bytes = 15000; /* c4 / s2 = 80.9 / 69 */
    blocking_problem_init(&problem);
    assert_string_equal(proposed(&problem), "");
}

static void levels_above_home_become_the_home(void **state) {
    (void)state;
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 1);
    problem.model.docs_home = 1;
    assert_string_equal(proposed(&problem), "DSD1 DSD1S1 SDS2D1 SDS2D1 ");
}

/* --- candidates ------------------------------------------------------------------------------- */

static size_t list(const struct blocking_problem *problem, struct candidate_request request,
                   struct blocking_candidate *candidates, bool *by_proposition) {
    return candidates_list(problem, &request, candidates, by_proposition);
}

static bool is_same(struct blocking a, struct blocking b) {
    return a.order == b.order && a.docs == b.docs && a.units == b.units;
}

static bool has(const struct blocking_candidate *candidates, size_t n, struct blocking wanted) {
    for (size_t i = 0; i < n; i++)
        if (candidates[i].blocking.order == wanted.order &&
            candidates[i].blocking.docs == wanted.docs &&
            candidates[i].blocking.units == wanted.units)
            return true;
    return false;
}

static void the_baseline_is_first_and_each_mu_is_tried(void **state) {
    (void)state;
    struct blocking_candidate candidates[CANDIDATES_MOST];
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    bool by_proposition;
    size_t n = list(&problem, (struct candidate_request){0}, candidates, &by_proposition);
    assert_true(by_proposition);
    assert_int_equal(candidates[0].blocking.order, ORDER_DS);
    assert_near(candidates[0].cost, 82.90, 0.005);
    assert_int_equal(n, 1 + 4 * MUS);
    assert_true(has(candidates, n, (struct blocking){ORDER_DSD, 374, 0}));
    assert_true(has(candidates, n, (struct blocking){ORDER_DSD, 187, 0}));
    assert_true(has(candidates, n, (struct blocking){ORDER_DSDS, 748, 10}));
    assert_true(has(candidates, n, (struct blocking){ORDER_SDSD, 374, 327}));
}

static void one_more_candidate_is_added(void **state) {
    (void)state;
    struct blocking_candidate candidates[CANDIDATES_MOST];
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    bool by_proposition;
    size_t n = list(&problem, (struct candidate_request){.also = {ORDER_DSD, 75, 0}}, candidates,
                    &by_proposition);
    assert_int_equal(n, 1 + 4 * MUS + 1);
    assert_true(has(candidates, n, (struct blocking){ORDER_DSD, 75, 0}));
}

static void blocks_are_multiples_of_the_lanes(void **state) {
    (void)state;
    struct blocking_candidate candidates[CANDIDATES_MOST];
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    bool by_proposition;
    problem.lanes = 8;
    size_t n =
        list(&problem, (struct candidate_request){.cases = CASES_ALL}, candidates, &by_proposition);
    for (size_t i = 0; i < n; i++)
        assert_true(candidates[i].blocking.docs % 8 == 0 ||
                    candidates[i].blocking.docs == problem.workload.n_docs);
    assert_true(has(candidates, n, (struct blocking){ORDER_DSD, 376, 0}));
}

static void no_two_candidates_have_the_same_sequence(void **state) {
    (void)state;
    struct blocking_candidate candidates[CANDIDATES_MOST];
    for (size_t w = 0; w < PAPER_WORKLOADS; w++) {
        struct blocking_problem problem = paper_problem(w, 0.3);
        bool by_proposition;
        size_t n = list(&problem, (struct candidate_request){.cases = CASES_ALL}, candidates,
                        &by_proposition);
        for (size_t i = 0; i < n; i++) {
            struct blocking simple = blocking_simplify(&problem, candidates[i].blocking);
            assert_true(is_same(simple, candidates[i].blocking));
            assert_false(has(candidates, i, candidates[i].blocking));
        }
        /* DS, 4 + 4, 10 + 10 cases, fewer if sizes coincide; SDS4 is DS; DSD4 and SDS4D4 are SD */
        assert_true(n > RANGE_CASES);
    }
}

/* Without the proposition, cases stay if some miss rate makes them cheap. */
static void expensive_cases_are_dropped(void **state) {
    (void)state;
    struct blocking_candidate candidates[CANDIDATES_MOST];
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    problem.workload.unit_bytes = 20000;
    blocking_problem_init(&problem);
    set_homes_in_memory(&problem.model);
    bool by_proposition;
    size_t all =
        list(&problem, (struct candidate_request){.cases = CASES_ALL}, candidates, &by_proposition);
    size_t n = list(&problem, (struct candidate_request){0}, candidates, &by_proposition);
    assert_false(by_proposition);
    assert_true(n < all);
    assert_true(has(candidates, n, (struct blocking){ORDER_DSD, 374, 0}));
    for (size_t i = 1; i < n; i++)
        assert_true(candidates[i].range_case.doc_level != LEVEL_MEMORY ||
                    candidates[i].range_case.unit_level != LEVEL_MEMORY);
}

static void check_simple(struct blocking from, struct blocking to) {
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    struct blocking simple = blocking_simplify(&problem, from);
    assert_true(is_same(simple, to));
}

static void identities_of_the_orders(void **state) {
    (void)state;
    const size_t n = 6500, m = 20000;
    const struct blocking ds = {ORDER_DS, 0, 0}, sd = {ORDER_SD, 0, 0};
    check_simple((struct blocking){ORDER_DSD, 1, 0}, ds);
    check_simple((struct blocking){ORDER_DSD, n, 0}, sd);
    check_simple((struct blocking){ORDER_SDS, 0, 1}, sd);
    check_simple((struct blocking){ORDER_SDS, 0, m}, ds);
    check_simple((struct blocking){ORDER_DSDS, 7, 1}, (struct blocking){ORDER_DSD, 7, 0});
    check_simple((struct blocking){ORDER_DSDS, 7, m}, ds);
    check_simple((struct blocking){ORDER_DSDS, 1, 7}, ds);
    check_simple((struct blocking){ORDER_DSDS, n, 7}, (struct blocking){ORDER_SDS, 0, 7});
    check_simple((struct blocking){ORDER_DSDS, n, 1}, sd);
    check_simple((struct blocking){ORDER_SDSD, 1, 7}, (struct blocking){ORDER_SDS, 0, 7});
    check_simple((struct blocking){ORDER_SDSD, n, 7}, sd);
    check_simple((struct blocking){ORDER_SDSD, 7, 1}, sd);
    check_simple((struct blocking){ORDER_SDSD, 7, m}, (struct blocking){ORDER_DSD, 7, 0});
    check_simple((struct blocking){ORDER_SDSD, 7, 8}, (struct blocking){ORDER_SDSD, 7, 8});
}

static void blockings_are_written_with_their_sizes(void **state) {
    (void)state;
    char text[BLOCKING_TEXT];
    blocking_text((struct blocking){ORDER_SDSD, 1928, 1638}, text);
    assert_string_equal(text, "SDSD s = 1638, d = 1928");
    blocking_text((struct blocking){ORDER_DSDS, 1928, 1638}, text);
    assert_string_equal(text, "DSDS d = 1928, s = 1638");
    blocking_text((struct blocking){ORDER_SDS, 0, 25}, text);
    assert_string_equal(text, "SDS s = 25");
    blocking_text((struct blocking){ORDER_DS, 0, 0}, text);
    assert_string_equal(text, "DS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_papers_workloads),
        cmocka_unit_test(the_fastest_case_of_table_4_is_proposed),
        cmocka_unit_test(large_trees_and_documents_have_no_proposition),
        cmocka_unit_test(levels_above_home_become_the_home),
        cmocka_unit_test(the_baseline_is_first_and_each_mu_is_tried),
        cmocka_unit_test(one_more_candidate_is_added),
        cmocka_unit_test(blocks_are_multiples_of_the_lanes),
        cmocka_unit_test(no_two_candidates_have_the_same_sequence),
        cmocka_unit_test(expensive_cases_are_dropped),
        cmocka_unit_test(identities_of_the_orders),
        cmocka_unit_test(blockings_are_written_with_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
