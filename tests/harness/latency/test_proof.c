#include "harness/latency/proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* MLPerf's mlperf.conf has the 662 as min_query_count. The others follow from the same rule. */
static const struct {
    double over;
    uint64_t least, least_for_10;
} known[] = {{0.1, 64, 197},
             {0.03, 219, 0},
             {0.01, 662, 2010},
             {0.001, 6636, 20140},
             {0.0001, 66381, 201442}};
enum { KNOWN = sizeof known / sizeof *known };

static void test_the_least_numbers_are_those_of_mlperf(void **state) {
    (void)state;
    for (size_t i = 0; i < KNOWN; i++) {
        assert_int_equal(proof_needed(1, known[i].over), known[i].least);
        if (known[i].least_for_10)
            assert_int_equal(proof_needed(10, known[i].over), known[i].least_for_10);
    }
}

static void test_below_the_least_number_nothing_is_proven(void **state) {
    (void)state;
    assert_int_equal(proof_rank(0, 0.5), 0);
    for (size_t i = 0; i < KNOWN; i++) {
        assert_int_equal(proof_rank(known[i].least - 1, known[i].over), 0);
        assert_int_equal(proof_rank(known[i].least, known[i].over), 1);
    }
}

static void test_both_directions_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < PERCENTILES; i++)
        for (uint64_t t = 1; t < 100000; t *= 7) {
            uint64_t n = proof_needed(t, percentiles[i].over);
            assert_int_equal(proof_rank(n, percentiles[i].over), t);
            assert_int_equal(proof_rank(n - 1, percentiles[i].over), t - 1);
        }
}

/* By the normal approximation, t is below the mean by 2.326 deviations. */
static void test_long_runs_come_near_the_share(void **state) {
    (void)state;
    uint64_t t = proof_rank(1000000000, 0.5);
    assert_in_range(t, 499963000, 499963500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_least_numbers_are_those_of_mlperf),
        cmocka_unit_test(test_below_the_least_number_nothing_is_proven),
        cmocka_unit_test(test_both_directions_agree),
        cmocka_unit_test(test_long_runs_come_near_the_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
