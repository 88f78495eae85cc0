/* What calls cost, and how `auto` splits a call between implementations. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/auto/auto_cost.h"
#include "impls/auto/auto_times.h"
#include "tests/impls/auto/times.h"

#include <stdio.h>
#include <string.h>

/* --- costs ------------------------------------------------------------------------------------ */

static const struct auto_cost single = {.document = 100, .lanes = 1};
static const struct auto_cost eight = {.step = 300, .lanes = 8};
static const struct auto_cost block = {.step = 5000, .document = 10, .lanes = 256};

static void costs_add_up(void **state) {
    (void)state;
    assert_near(auto_cost_of(&block, 1), 5000 + 10);
    assert_near(auto_cost_of(&block, 256), 5000 + 2560);
    assert_near(auto_cost_of(&block, 257), 2 * 5000 + 2570);
    assert_near(auto_cost_of(&eight, 0), 0);
}

/* --- times ------------------------------------------------------------------------------------ */

static void sizes_are_in_ascending_order_and_there_once(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    for (size_t i = 0; i < AUTO_SIZES_MAX; i++)
        assert_non_null(auto_times_add(&times, i % 2 ? 100 - i : i + 1));
    for (size_t i = 1; i < AUTO_SIZES_MAX; i++)
        assert_true(times.sizes[i - 1].docs < times.sizes[i].docs);
    assert_null(auto_times_add(&times, 1000));
    times.n_sizes--;
    assert_null(auto_times_add(&times, 1));
    assert_ptr_equal(auto_times_find(&times, 1), &times.sizes[0]);
    assert_null(auto_times_find(&times, 2));
}

static void specs_are_numbered_once(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    char name[AUTO_SPEC_SIZE + 8];
    assert_int_equal(auto_times_spec(&times, "qs"), 0);
    assert_int_equal(auto_times_spec(&times, "planes"), 1);
    assert_int_equal(auto_times_spec(&times, "qs"), 0);
    for (size_t i = 2; i < AUTO_SPECS_MAX; i++) {
        snprintf(name, sizeof name, "vpred,v=%zu", i);
        assert_int_equal(auto_times_spec(&times, name), i);
    }
    assert_int_equal(auto_times_spec(&times, "more"), AUTO_SPECS_MAX);
    times.n_specs--;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(auto_times_spec(&times, name), AUTO_SPECS_MAX);
}

/* A step of 256 documents takes as long for 1 as for 256, and twice as long for 257. */
static void bounds_hold_for_steps(void **state) {
    (void)state;
    const struct auto_cost step = {.step = 5000, .lanes = 256};
    for (size_t measured = 1; measured < 1100; measured += 51)
        for (size_t docs = 1; docs < 1100; docs++) {
            double ns = auto_cost_of(&step, measured), real = auto_cost_of(&step, docs);
            assert_true(auto_times_least(ns, measured, docs) <= real);
            assert_true(auto_times_most(ns, measured, docs) >= real);
        }
    assert_near(auto_times_least(1000, 8, 8), 1000);
    assert_near(auto_times_least(1000, 8, 4), 500);
    assert_near(auto_times_most(1000, 8, 9), 2000);
}

/* Only where no time that is possible makes it slower. */
static void other_sizes_need_a_proof(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    set_time(&times, 8, "qs", 100);
    assert_int_equal(auto_times_proven(&times, 8), AUTO_SPECS_MAX); /* than what? */
    set_time(&times, 8, AUTO_UNTUNED, 1000);
    assert_int_equal(auto_times_proven(&times, 7), 0);
    assert_int_equal(auto_times_proven(&times, 1), 0);
    assert_int_equal(auto_times_proven(&times, 72), 0);              /* 9 calls */
    assert_int_equal(auto_times_proven(&times, 80), AUTO_SPECS_MAX); /* as long as the untuned */
    set_time(&times, 64, AUTO_UNTUNED, 2500);
    assert_int_equal(auto_times_proven(&times, 80), 0);
    set_time(&times, 64, "planes", 400);
    assert_int_equal(auto_times_proven(&times, 60), 2);
    set_time(&times, 8, "qs", 600);
    assert_int_equal(auto_times_proven(&times, 7), 2); /* 400, of 500 at least */
    set_time(&times, 64, "planes", 470);
    assert_int_equal(auto_times_proven(&times, 7), AUTO_SPECS_MAX); /* too near */
}

/* --- splitting -------------------------------------------------------------------------------- */

static void assert_split(size_t n_docs, size_t head_docs, unsigned head, unsigned tail) {
    const struct auto_cost costs[] = {single, eight, block};
    struct auto_split split = auto_cost_split(costs, 3, n_docs);
    assert_int_equal(split.head_docs, head_docs);
    assert_int_equal(split.head, head);
    if (head_docs < n_docs)
        assert_int_equal(split.tail, tail);
}

static void calls_go_to_the_cheapest(void **state) {
    (void)state;
    assert_split(1, 1, 0, 0);
    assert_split(2, 2, 0, 0);
    assert_split(4, 4, 1, 0);       /* 300 for a step that is not full, against 400 */
    assert_split(9, 8, 1, 0);       /* a step and one document, 400, against two steps */
    assert_split(12, 12, 1, 0);     /* two steps, one of them not full */
    assert_split(256, 256, 2, 2);   /* a block */
    assert_split(300, 256, 2, 1);   /* a block, and 6 steps for its tail */
    assert_split(500, 500, 2, 2);   /* two blocks, one of them not full */
    assert_split(5121, 5120, 2, 0); /* beyond what is looked up */
}

/* No split is dearer than any single one, whatever the size. */
static void splits_only_save(void **state) {
    (void)state;
    const struct auto_cost costs[] = {single, eight, block};
    for (size_t n = 1; n <= 2 * AUTO_TABLE_DOCS; n++) {
        struct auto_split split = auto_cost_split(costs, 3, n);
        double ns = auto_cost_of_split(costs, &split, n);
        for (size_t i = 0; i < 3; i++)
            assert_true(ns <= auto_cost_of(&costs[i], n));
        assert_true(split.head_docs >= 1 && split.head_docs <= n);
    }
}

static void what_is_not_missed_is_left_out(void **state) {
    (void)state;
    struct auto_cost slower = block, costs[] = {slower, eight, block, single, eight};
    costs[0].step *= 2;
    costs[4].step *= 1.01; /* within the tolerance of the other */
    size_t kept[5];
    size_t count = auto_cost_reduce(costs, 5, 0.03, kept);
    assert_int_equal(count, 3);
    assert_int_equal(kept[0], 1);
    assert_int_equal(kept[1], 2);
    assert_int_equal(kept[2], 3);
    assert_cost(costs[0], eight);
    assert_cost(costs[2], single);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(sizes_are_in_ascending_order_and_there_once),
        cmocka_unit_test(specs_are_numbered_once),
        cmocka_unit_test(bounds_hold_for_steps),
        cmocka_unit_test(other_sizes_need_a_proof),
        cmocka_unit_test(calls_go_to_the_cheapest),
        cmocka_unit_test(splits_only_save),
        cmocka_unit_test(what_is_not_missed_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
