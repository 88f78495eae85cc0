/* jin2016's claims about the guided choice, judged on the paper's own numbers and on made-up ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/tuning/blocking.h"
#include "tests/harness/caches/paper.h"
#include "tests/harness/near.h"

static struct ratio exactly(double value) {
    return (struct ratio){value, {value, value}};
}

/* Returns the field of a line of Table 5, and its length. */
static const char *field(const char *line, int index, size_t *length) {
    for (; index > 0; index--)
        line = strchr(line, ',') + 1;
    *length = strcspn(line, ",");
    return line;
}

/* A column of best cases and the column of their errors. */
static void check_column(const char *line, size_t workload, int column) {
    size_t length;
    char name[RANGE_CASE_NAME];
    const char *best = field(line, column, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, best);
    const struct range_case *range_case = range_case_find(name);
    const struct ratio error = exactly(strtod(field(line, column + 1, &length), NULL) / 100);
    const struct blocking_problem problem = paper_problem(workload, 0.3);
    assert_non_null(range_case);
    assert_int_equal(blocking_judge_close(&error), VERDICT_HELD);
    assert_int_equal(blocking_judge_proposition(&problem, true, range_case, &error), VERDICT_HELD);
}

/* Table 5, on the AMD and on the Intel machine. */
static void the_paper_passes_its_claims_about_the_choice(void **state) {
    (void)state;
    enum { BEST_AMD = 3, BEST_INTEL = 5 };
    char line[256];
    size_t n = 0;
    FILE *file = fopen("results/reference/jin2016-table5.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        check_column(line, n, BEST_AMD);
        check_column(line, n++, BEST_INTEL);
    }
    fclose(file);
    assert_int_equal(n, PAPER_WORKLOADS);
}

/* Table 4: DS against the least time of each column; section 5.2 prints the largest ratio. */
static void blocking_pays_on_every_workload_of_the_paper(void **state) {
    (void)state;
    double times[PAPER_WORKLOADS][RANGE_CASES], ds[PAPER_WORKLOADS], largest = 0;
    assert_int_equal(paper_read_times(times, ds), PAPER_WORKLOADS);
    for (size_t w = 0; w < PAPER_WORKLOADS; w++) {
        double least = times[w][0];
        for (size_t i = 1; i < RANGE_CASES; i++)
            least = times[w][i] < least ? times[w][i] : least;
        const struct ratio ratio = exactly(ds[w] / least);
        assert_int_equal(blocking_judge_pays(&ratio), VERDICT_HELD);
        largest = ratio.value > largest ? ratio.value : largest;
    }
    assert_near(largest, 6.57, 0.005);
}

static void intervals_decide(void **state) {
    (void)state;
    assert_int_equal(blocking_judge_close(&(struct ratio){0.03, {0.025, 0.04}}), VERDICT_NOT_HELD);
    assert_int_equal(blocking_judge_close(&(struct ratio){0.02, {0.01, 0.03}}), VERDICT_UNRESOLVED);
    assert_int_equal(blocking_judge_pays(&(struct ratio){1.1, {0.9, 1.3}}), VERDICT_UNRESOLVED);
    assert_int_equal(blocking_judge_pays(&(struct ratio){0.8, {0.7, 0.9}}), VERDICT_NOT_HELD);
}

static void other_cases_contradict_the_proposition(void **state) {
    (void)state;
    const struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    const struct range_case *other = range_case_find("SDS3D2"), *four = range_case_find("SDS2D2");
    const struct ratio clear = {0.01, {0.005, 0.02}}, tie = {0.01, {-0.001, 0.02}};
    assert_int_equal(blocking_judge_proposition(&problem, true, other, &clear), VERDICT_NOT_HELD);
    assert_int_equal(blocking_judge_proposition(&problem, true, other, &tie), VERDICT_HELD);
    assert_int_equal(blocking_judge_proposition(&problem, true, four, &clear), VERDICT_HELD);
    assert_int_equal(blocking_judge_proposition(&problem, false, four, &clear), VERDICT_UNRESOLVED);
    const struct blocking_problem large = paper_problem(PAPER_YAHOO_150, 0.3);
    assert_int_equal(blocking_judge_proposition(&large, true, other, &clear), VERDICT_HELD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_passes_its_claims_about_the_choice),
        cmocka_unit_test(blocking_pays_on_every_workload_of_the_paper),
        cmocka_unit_test(intervals_decide),
        cmocka_unit_test(other_cases_contradict_the_proposition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
