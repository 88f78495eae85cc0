/* Guided and exhaustive searches, with made-up times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/caches/search.h"
#include "tests/harness/caches/paper.h"
#include "tests/harness/near.h"

#include <math.h>

/* A machine of which the fastest blocking is known: times grow with the distance from it. */
struct made_up_machine {
    struct blocking best;
    double lucky; /* STEP_CHOOSE measures this one as the fastest, though it is not */
    size_t lucky_docs;
    size_t calls[BLOCKING_STEPS], points[BLOCKING_STEPS];
    bool is_broken;
};

static double distance(size_t a, size_t b) {
    return fabs(log((double)(a ? a : 1) / (double)(b ? b : 1)));
}

static double ns_of(const struct made_up_machine *machine, enum blocking_step step,
                    struct blocking b) {
    if (step == STEP_CHOOSE && machine->lucky_docs && b.docs == machine->lucky_docs)
        return machine->lucky;
    return 10 + distance(b.docs, machine->best.docs) + distance(b.units, machine->best.units) +
           (b.order != machine->best.order);
}

static enum status measure(void *context, enum blocking_step step,
                           const struct blocking_candidate *candidates, size_t n,
                           struct blocking_time *times, struct error *error) {
    struct made_up_machine *machine = context;
    machine->calls[step]++;
    machine->points[step] = n;
    if (machine->is_broken)
        return error_set(error, STATUS_MACHINE, "broken");
    for (size_t i = 0; i < n; i++) {
        double ns = ns_of(machine, step, candidates[i].blocking);
        double ratio = ns / ns_of(machine, step, candidates[0].blocking);
        times[i] =
            (struct blocking_time){ns, {ns - 1, ns + 1}, {ratio, {ratio * 0.99, ratio * 1.01}}};
    }
    return STATUS_OK;
}

static void guided(struct made_up_machine *machine, struct blocking_search *search) {
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    const struct candidate_request request = {.standard = {ORDER_DSD, 374, 0}};
    struct error error;
    assert_int_equal(blocking_search_guided(&problem, &request, measure, machine, search, &error),
                     STATUS_OK);
}

static void the_fastest_candidate_is_measured_again(void **state) {
    (void)state;
    struct made_up_machine machine = {.best = {ORDER_DSD, 400, 0}};
    struct blocking_search search;
    guided(&machine, &search);
    assert_int_equal(search.candidates[search.best].blocking.order, ORDER_DSD);
    assert_int_equal(search.candidates[search.best].blocking.docs, 374);
    assert_int_equal(machine.calls[STEP_CHOOSE], 1);
    assert_int_equal(machine.calls[STEP_CONFIRM], 1);
    assert_int_equal(machine.points[STEP_CONFIRM], 2);
    assert_true(search.ds_time.to_first.value > 1);
    assert_near(search.choice_time.to_first.value, 1, 0);
    assert_int_equal(search.standard.blocking.docs, 374);
    assert_near(search.standard_time.ns, search.choice_time.ns, 0);
}

/* A candidate that was lucky is chosen, but its confirmed time tells. */
static void luck_does_not_last(void **state) {
    (void)state;
    struct made_up_machine machine = {.best = {ORDER_DSD, 400, 0}, .lucky_docs = 748, .lucky = 0.1};
    struct blocking_search search;
    guided(&machine, &search);
    assert_int_equal(search.candidates[search.best].blocking.docs, 748);
    assert_true(search.choice_time.ns > 10);
    assert_true(search.standard_time.to_first.value < 1);
}

static void no_blocking_is_a_choice_too(void **state) {
    (void)state;
    struct made_up_machine machine = {.best = {ORDER_DS, 0, 0}};
    struct blocking_search search;
    guided(&machine, &search);
    assert_int_equal(search.best, 0);
    assert_int_equal(machine.points[STEP_CONFIRM], 2); /* DS, and DSD with predicted blocks */
    assert_near(search.choice_time.ns, search.ds_time.ns, 0);
    assert_true(search.standard_time.to_first.value > 1);
}

static void a_failed_measurement_fails_the_search(void **state) {
    (void)state;
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    const struct candidate_request request = {.standard = {ORDER_DSD, 374, 0}};
    struct made_up_machine machine = {.is_broken = true};
    struct blocking_search search;
    struct error error;
    assert_int_equal(blocking_search_guided(&problem, &request, measure, &machine, &search, &error),
                     STATUS_MACHINE);
    assert_string_equal(error.text, "broken");
}

static void the_grid_covers_all_orders(void **state) {
    (void)state;
    static struct blocking_candidate list[GRID_MOST];
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    size_t n = blocking_grid(&problem, list), of[ORDERS] = {0};
    for (size_t i = 0; i < n; i++) {
        of[list[i].blocking.order]++;
        assert_true(list[i].blocking.docs <= problem.workload.n_docs);
        assert_true(list[i].blocking.units <= problem.workload.n_units);
    }
    assert_true(of[ORDER_DSD] >= GRID_LINE - 10 && of[ORDER_SDS] >= GRID_LINE - 10);
    assert_true(of[ORDER_DSDS] > 300 && of[ORDER_SDSD] > 300);
    assert_int_equal(of[ORDER_DS], 1);
    assert_int_equal(of[ORDER_SD], 1);
}

static void exhaustive(struct made_up_machine *machine, struct blocking_search *search,
                       struct blocking_reference *reference) {
    struct blocking_problem problem = paper_problem(PAPER_YAHOO_50, 0.3);
    struct error error;
    guided(machine, search);
    assert_int_equal(
        blocking_search_exhaustive(&problem, search, measure, machine, reference, &error),
        STATUS_OK);
}

static void the_reference_is_the_best_of_the_grid(void **state) {
    (void)state;
    static struct blocking_search search;
    struct made_up_machine machine = {.best = {ORDER_DSDS, 60, 70}};
    struct blocking_reference reference;
    exhaustive(&machine, &search, &reference);
    assert_int_equal(reference.best.blocking.order, ORDER_DSDS);
    assert_true(distance(reference.best.blocking.docs, 60) < 0.3);
    assert_true(distance(reference.best.blocking.units, 70) < 0.3);
    assert_true(reference.error.value > 0);
    assert_near(reference.error.value, reference.guided_time.ns / reference.best_time.ns - 1, 1e-9);
    assert_true(reference.error.interval.low < reference.error.value);
    assert_true(reference.error.interval.high > reference.error.value);
    assert_int_equal(machine.points[STEP_CONFIRM], 1 + FINALISTS);
    assert_int_equal(machine.points[STEP_SCREEN], reference.n_points);
}

static void a_perfect_guess_has_no_error(void **state) {
    (void)state;
    static struct blocking_search search;
    struct made_up_machine machine = {.best = {ORDER_DSD, 374, 0}};
    struct blocking_reference reference;
    exhaustive(&machine, &search, &reference);
    assert_near(reference.error.value, 0, 0);
    assert_int_equal(reference.best.blocking.docs, 374);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_candidate_is_measured_again),
        cmocka_unit_test(luck_does_not_last),
        cmocka_unit_test(no_blocking_is_a_choice_too),
        cmocka_unit_test(a_failed_measurement_fails_the_search),
        cmocka_unit_test(the_grid_covers_all_orders),
        cmocka_unit_test(the_reference_is_the_best_of_the_grid),
        cmocka_unit_test(a_perfect_guess_has_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
