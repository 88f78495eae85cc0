/* Which numbers of threads are measured, and what follows from their samples. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/latency/scaling.h"
#include "tests/harness/near.h"

#include <math.h>

static void check_counts(unsigned most, const unsigned *expected, size_t n) {
    unsigned counts[SCALING_COUNTS_MAX];
    assert_int_equal(scaling_count(most, counts), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(counts[i], expected[i]);
}

static void numbers_of_threads_double(void **state) {
    (void)state;
    check_counts(1, (unsigned[]){1}, 1);
    check_counts(2, (unsigned[]){1, 2}, 2);
    check_counts(4, (unsigned[]){1, 2, 3, 4}, 4);
    check_counts(24, (unsigned[]){1, 2, 3, 4, 8, 16, 24}, 7);
    check_counts(64, (unsigned[]){1, 2, 3, 4, 8, 16, 32, 64}, 8);
}

enum { ROUNDS = 12, COUNTS = 2 };

static void a_line_is_compared_with_one_thread(void **state) {
    (void)state;
    double one[ROUNDS], two[ROUNDS];
    struct scaling_line lines[SCALING_MEASURES * (COUNTS + 1)];
    for (size_t i = 0; i < ROUNDS; i++) {
        one[i] = 1000 + (double)i;
        two[i] = one[i] / 2;
    }
    for (size_t i = 0; i < SCALING_MEASURES * (COUNTS + 1); i++)
        lines[i] = (struct scaling_line){.measure = (enum scaling_measure)(i / (COUNTS + 1)),
                                         .samples = i % (COUNTS + 1) == 1 ? two : one};
    const struct scaling scaling = {.request = {.n_counts = COUNTS, .rounds = ROUNDS},
                                    .lines = lines,
                                    .placement_rounds = 2,
                                    .rounds = ROUNDS};
    struct scaling_summary first = scaling_summarise(&scaling, SCALING_CALLS, 0);
    assert_true(isnan(first.to_one.value));
    assert_int_equal(first.verdict.kind, VERDICT_NONE);
    assert_near(first.per_second * first.ns.value, 1e9, 1);
    struct scaling_summary second = scaling_summarise(&scaling, SCALING_P99, 1);
    assert_near(second.to_one.value, 0.5, 1e-9);
    assert_near(second.noise_floor, 0, 1e-9);
    assert_int_equal(second.verdict.kind, VERDICT_FASTER);
    assert_true(isnan(second.per_second));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_threads_double),
        cmocka_unit_test(a_line_is_compared_with_one_thread),
    };
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
