/* The cost model against the formulas and numbers of jin2016. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/instruments/rank_tests.h"
#include "tests/harness/caches/paper.h"
#include "tests/harness/near.h"

#include <math.h>

static double cost(const struct blocking_problem *problem, const char *name) {
    const struct range_case *range_case = range_case_find(name);
    assert_non_null(range_case);
    return paper_cost(problem, range_case);
}

static void cases_have_the_papers_names_and_sequence(void **state) {
    (void)state;
    static const char *const printed =
        "DSD1 DSD2 DSD3 DSD4 DSD1S1 DSD2S1 DSD3S1 DSD4S1 DSD2S2 DSD3S2 DSD4S2 DSD3S3 DSD4S3 DSD4S4 "
        "SDS1D1 SDS2D1 SDS3D1 SDS4D1 SDS2D2 SDS3D2 SDS4D2 SDS3D3 SDS4D3 SDS4D4 SDS1 SDS2 SDS3 "
        "SDS4 ";
    char all[512] = "", name[RANGE_CASE_NAME];
    for (size_t i = 0; i < RANGE_CASES; i++) {
        range_case_name(&range_cases[i], name);
        strcat(strcat(all, name), " ");
        assert_ptr_equal(range_case_find(name), &range_cases[i]);
    }
    assert_string_equal(all, printed);
    assert_null(range_case_find("DSD5"));
    assert_null(range_case_find("DSD1S2"));
}

/* Each formula of Tables 1, 8, 9 and 10, with numbers that no two terms share. */
static void formulas_are_those_of_the_tables(void **state) {
    (void)state;
    const double lambda = 3, c2 = 7, c3 = 29, c4 = 83, m = 1009, n = 503, al = 0.37, be = 0.59;
    const double d = 11, s = 13;
    const struct cost_model model = {.extra = {0, 0, c2, c3, c4},
                                     .lambda = lambda,
                                     .rates = {al, be},
                                     .n_docs = n,
                                     .n_units = m,
                                     .doc_fits = 1,
                                     .unit_fits = 1,
                                     .docs_home = LEVEL_MEMORY,
                                     .units_home = LEVEL_MEMORY};
    const double dsd = 1 + lambda * (1 + c4 / d), open = al * c2, more = al * be * c3;
    const struct {
        const char *name;
        double cost;
    } tables[] = {{"DSD1", dsd + (c2 + c3 + c4) / m},
                  {"DSD2", dsd + open + (c3 + c4) / m},
                  {"DSD3", dsd + open + more + c4 / m},
                  {"DSD4", dsd + c2 + c3 + c4},
                  {"SDS1", 1 + c4 / s + lambda + lambda * c4 / n},
                  {"SDS2", 1 + c4 / s + lambda + lambda * c2},
                  {"SDS3", 1 + c4 / s + lambda + lambda * c3},
                  {"SDS4", 1 + c4 / s + lambda + lambda * c4},
                  {"DSD1S1", 1 + c4 / m + lambda + lambda * c4 / d},
                  {"DSD2S1", 1 + c2 / s + lambda + lambda * c4 / d},
                  {"DSD3S1", 1 + c3 / s + lambda + lambda * c4 / d},
                  {"DSD4S1", 1 + c4 / s + lambda + lambda * c4 / d},
                  {"DSD2S2", 1 + c2 / s + lambda + lambda * c2 + lambda * c4 / d},
                  {"DSD3S2", 1 + c3 / s + lambda + lambda * c2 + lambda * c4 / d},
                  {"DSD4S2", 1 + c4 / s + lambda + lambda * c2 + lambda * c4 / d},
                  {"DSD3S3", 1 + c3 / s + lambda + lambda * c3 + lambda * c4 / d},
                  {"DSD4S3", 1 + c4 / s + lambda + lambda * c3 + lambda * c4 / d},
                  {"DSD4S4", 1 + c4 / s + lambda + lambda * c4},
                  {"SDS1D1", lambda + lambda * c4 / n + 1 + c4 / s},
                  {"SDS2D1", lambda + lambda * c2 / d + 1 + c4 / s},
                  {"SDS3D1", lambda + lambda * c3 / d + 1 + c4 / s},
                  {"SDS4D1", lambda + lambda * c4 / d + 1 + c4 / s},
                  {"SDS2D2", lambda + lambda * c2 / d + 1 + open + c4 / s},
                  {"SDS3D2", lambda + lambda * c3 / d + 1 + open + c4 / s},
                  {"SDS4D2", lambda + lambda * c4 / d + 1 + open + c4 / s},
                  {"SDS3D3", lambda + lambda * c3 / d + 1 + open + more + c4 / s},
                  {"SDS4D3", lambda + lambda * c4 / d + 1 + open + more + c4 / s},
                  {"SDS4D4", lambda + lambda * c4 / d + 1 + c4}};
    assert_int_equal(sizeof tables / sizeof *tables, RANGE_CASES);
    for (size_t i = 0; i < RANGE_CASES; i++) {
        const struct range_case *range_case = range_case_find(tables[i].name);
        assert_non_null(range_case);
        assert_true(range_case_exists(range_case, &model));
        assert_near(range_case_cost(range_case, &model, d, s), tables[i].cost, 1e-9);
    }
}

/* The numbers of Yahoo! with 50 leaves: d = 5, 374, 748, s = 5, 327, 655. */
static void numbers_of_yahoo_50(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double cost;
    } at_1[] = {{"DSD1", 18.19},  {"DSD2", 9.52},   {"DSD3", 34.51},   {"DSD4", 115.31},
                {"DSD2S1", 3.68}, {"DSD2S2", 9.54}, {"DSD3S3", 27.25}, {"SDS1", 18.19},
                {"SDS2", 9.55},   {"SDS2D1", 3.71}, {"SDS2D2", 9.57},  {"SDS4D4", 82.91}},
      at_03[] = {{"DSD2", 4.41}, {"DSD3", 6.56}, {"SDS2D2", 4.46}};
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 1);
    assert_near(range_case_cost_ds(&problem.model), 82.90, 0.005);
    for (size_t i = 0; i < sizeof at_1 / sizeof *at_1; i++)
        assert_near(cost(&problem, at_1[i].name), at_1[i].cost, 0.005 + 1e-9);
    problem = paper_problem(PAPER_YAHOO_50, 0.3);
    for (size_t i = 0; i < sizeof at_03 / sizeof *at_03; i++)
        assert_near(cost(&problem, at_03[i].name), at_03[i].cost, 0.005 + 1e-9);
}

static double correlation_with_table_4(size_t workload, struct miss_rates rates,
                                       const double times[RANGE_CASES]) {
    struct blocking_problem problem = paper_problem(workload, 0);
    problem.model.rates = rates;
    double costs[RANGE_CASES];
    for (size_t i = 0; i < RANGE_CASES; i++)
        costs[i] = paper_cost(&problem, &range_cases[i]);
    return spearman(costs, times, RANGE_CASES);
}

static void ranks_follow_table_4(void **state) {
    (void)state;
    static const double at_03[PAPER_WORKLOADS] = {0.74, 0.90, 0.85, 0.92, 0.87, 0.87};
    double times[PAPER_WORKLOADS][RANGE_CASES], ds[PAPER_WORKLOADS], least = 1, most = 0;
    assert_int_equal(paper_read_times(times, ds), PAPER_WORKLOADS);
    for (size_t i = 0; i < PAPER_WORKLOADS; i++) {
        double at_1 = correlation_with_table_4(i, (struct miss_rates){1, 1}, times[i]);
        least = fmin(least, at_1);
        most = fmax(most, at_1);
        assert_near(correlation_with_table_4(i, (struct miss_rates){0.3, 0.3}, times[i]), at_03[i],
                    0.006);
        assert_near(times[i][RANGE_CASES - 1], ds[i], 0); /* SDS4 is DS */
    }
    assert_near(least, 0.36, 0.006);
    assert_near(most, 0.79, 0.006);
}

/* The paper prints no miss rates. */
static void the_standard_miss_rates_rank_table_4_well(void **state) {
    (void)state;
    static const double standard[PAPER_WORKLOADS] = {0.85, 0.90, 0.83, 0.90, 0.88, 0.86};
    double times[PAPER_WORKLOADS][RANGE_CASES], ds[PAPER_WORKLOADS], sum = 0, sum_of_03 = 0;
    assert_int_equal(paper_read_times(times, ds), PAPER_WORKLOADS);
    for (size_t i = 0; i < PAPER_WORKLOADS; i++) {
        double found = correlation_with_table_4(i, miss_rates_standard, times[i]);
        assert_near(found, standard[i], 0.006);
        sum += found;
        sum_of_03 += correlation_with_table_4(i, (struct miss_rates){0.3, 0.3}, times[i]);
    }
    assert_true(sum > sum_of_03);
}

/* --- scenarios -------------------------------------------------------------------------------- */

static struct cost_model model_of(unsigned doc_fits, unsigned unit_fits) {
    return (struct cost_model){.extra = {0, 0, 7, 29, 83},
                               .lambda = 3,
                               .rates = {0.37, 0.59},
                               .n_docs = 503,
                               .n_units = 1009,
                               .doc_fits = doc_fits,
                               .unit_fits = unit_fits,
                               .docs_home = LEVEL_MEMORY,
                               .units_home = LEVEL_MEMORY};
}

static void check_existing(enum order order, unsigned doc_fits, unsigned unit_fits,
                           const char *names) {
    struct cost_model model = model_of(doc_fits, unit_fits);
    char all[256] = "", name[RANGE_CASE_NAME];
    for (size_t i = 0; i < RANGE_CASES; i++)
        if (range_cases[i].order == order && range_case_exists(&range_cases[i], &model)) {
            range_case_name(&range_cases[i], name);
            strcat(strcat(all, name), " ");
        }
    assert_string_equal(all, names);
}

static void large_units_and_documents_leave_fewer_cases(void **state) {
    (void)state;
    check_existing(ORDER_DSD, 1, 2, "DSD2 DSD3 DSD4 ");
    check_existing(ORDER_DSD, 1, 3, "DSD3 DSD4 ");
    check_existing(ORDER_DSD, 1, 4, "DSD4 ");
    check_existing(ORDER_SDS, 2, 1, "SDS2 SDS3 SDS4 ");
    check_existing(ORDER_SDS, 4, 1, "SDS4 ");
    check_existing(ORDER_DSDS, 2, 1, "DSD2S2 DSD3S2 DSD4S2 DSD3S3 DSD4S3 DSD4S4 ");
    check_existing(ORDER_DSDS, 3, 1, "DSD3S3 DSD4S3 DSD4S4 ");
    check_existing(ORDER_DSDS, 4, 1, "DSD4S4 ");
    check_existing(ORDER_SDSD, 1, 2, "SDS2D2 SDS3D2 SDS4D2 SDS3D3 SDS4D3 SDS4D4 ");
    check_existing(ORDER_SDSD, 1, 3, "SDS3D3 SDS4D3 SDS4D4 ");
    check_existing(ORDER_SDSD, 1, 4, "SDS4D4 ");
    /* by symmetry (ours) */
    check_existing(ORDER_DSD, 2, 1, "DSD2 DSD3 DSD4 ");
    check_existing(ORDER_SDS, 1, 2, "SDS2 SDS3 SDS4 ");
    check_existing(ORDER_DSDS, 1, 3, "DSD3S3 DSD4S3 DSD4S4 ");
    check_existing(ORDER_SDSD, 2, 1, "SDS2D2 SDS3D2 SDS4D2 SDS3D3 SDS4D3 SDS4D4 ");
}

static void check_cost(const char *name, unsigned doc_fits, unsigned unit_fits, double wanted) {
    struct cost_model model = model_of(doc_fits, unit_fits);
    assert_near(range_case_cost(range_case_find(name), &model, 11, 13), wanted, 1e-9);
}

/* Section 4.1.3 and appendix A. */
static void large_units_and_documents_cost_more(void **state) {
    (void)state;
    const double c2 = 7, c3 = 29, c4 = 83, d = 11, s = 13, m = 1009, al = 0.37, be = 0.59;
    check_cost("DSD2", 1, 2, 1 + c2 + (c3 + c4) / m + 3 * (1 + c2 + c4 / d));
    check_cost("DSD3", 1, 2, 1 + c2 + be * c3 + c4 / m + 3 * (1 + c2 + c4 / d));
    check_cost("DSD3", 1, 3, 1 + c2 + c3 + c4 / m + 3 * (1 + c3 + c4 / d));
    check_cost("DSD4", 1, 4, 1 + c2 + c3 + c4 + 3 * (1 + c4));
    check_cost("SDS2", 2, 1, 1 + c2 + c4 / s + 3 * (1 + c2));
    check_cost("SDS3", 3, 1, 1 + c3 + c4 / s + 3 * (1 + c3));
    check_cost("SDS4", 4, 1, 1 + c4 + 3 * (1 + c4));
    check_cost("DSD3S2", 2, 1, 1 + c3 / s + c2 + 3 * (1 + c2 + c4 / d));
    check_cost("DSD4S3", 3, 1, 1 + c4 / s + c3 + 3 * (1 + c3 + c4 / d));
    check_cost("DSD4S4", 4, 1, 1 + c4 / s + c4 + 3 * (1 + c4));
    check_cost("SDS3D2", 1, 2, 1 + c2 + c4 / s + 3 * (1 + c3 / d + c2));
    check_cost("SDS3D3", 1, 3, 1 + c2 + c3 + c4 / s + 3 * (1 + c3 / d + c3));
    check_cost("SDS4D4", 1, 4, 1 + c4 + 3 * (1 + c4 / d + c4));
    check_cost("SDS2D2", 1, 1, 1 + al * c2 + c4 / s + 3 * (1 + c2 / d));
}

/* --- whole workloads that fit a cache --------------------------------------------------------- */

static void homes_are_the_levels_that_hold_everything(void **state) {
    (void)state;
    struct blocking_problem problem = {.machine = blocking_machine_fx8120,
                                       .workload = {1000, 1000, 8, 500, 1}}; /* 8 KB and 500 KB */
    blocking_problem_init(&problem);
    assert_int_equal(problem.model.docs_home, 1); /* half of 16 KiB */
    assert_int_equal(problem.model.units_home, 2);
    assert_int_equal(problem.model.doc_fits, 1);
    problem.workload = (struct blocking_workload){1001, 3000, 9, 500, 1};
    blocking_problem_init(&problem);
    assert_int_equal(problem.model.docs_home, 2);
    assert_int_equal(problem.model.units_home, LEVEL_MEMORY);
}

static void cases_above_home_vanish(void **state) {
    (void)state;
    struct cost_model model = model_of(1, 1);
    model.docs_home = 2;
    model.units_home = 3;
    assert_true(range_case_exists(range_case_find("DSD2"), &model));
    assert_false(range_case_exists(range_case_find("DSD3"), &model));
    assert_true(range_case_exists(range_case_find("SDS3"), &model));
    assert_false(range_case_exists(range_case_find("SDS4"), &model));
    assert_false(range_case_exists(range_case_find("SDS4D2"), &model));
}

static void first_loads_cost_an_access_to_home(void **state) {
    (void)state;
    struct cost_model model = model_of(1, 1);
    model.docs_home = 2;
    model.units_home = 3;
    /* all documents stay in L2, so they are never loaded again */
    assert_near(range_case_cost(range_case_find("DSD2"), &model, 11, 13),
                1 + 0.37 * 7 + 3 * (1 + 29 / 11.0), 1e-9);
    assert_near(range_case_cost(range_case_find("DSD1"), &model, 11, 13),
                1 + 7 / 1009.0 + 3 * (1 + 29 / 11.0), 1e-9);
    assert_near(range_case_cost(range_case_find("SDS2D1"), &model, 11, 13),
                1 + 7 / 13.0 + 3 * (1 + 7 / 11.0), 1e-9);
    assert_near(range_case_cost_ds(&model), 1 + 7 / 1009.0 + 3 * (1 + 29), 1e-9);
    model.docs_home = model.units_home = 1; /* nothing ever leaves L1 */
    assert_near(range_case_cost(range_case_find("DSD1"), &model, 11, 13), 4, 1e-9);
    assert_near(range_case_cost_ds(&model), 4, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_have_the_papers_names_and_sequence),
        cmocka_unit_test(formulas_are_those_of_the_tables),
        cmocka_unit_test(numbers_of_yahoo_50),
        cmocka_unit_test(ranks_follow_table_4),
        cmocka_unit_test(the_standard_miss_rates_rank_table_4_well),
        cmocka_unit_test(large_units_and_documents_leave_fewer_cases),
        cmocka_unit_test(large_units_and_documents_cost_more),
        cmocka_unit_test(homes_are_the_levels_that_hold_everything),
        cmocka_unit_test(cases_above_home_vanish),
        cmocka_unit_test(first_loads_cost_an_access_to_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
