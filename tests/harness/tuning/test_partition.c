/* QuickScorer's units and batches of queries, against the numbers of jin2016. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/tuning/blocking.h"
#include "tests/harness/near.h"

#include <math.h>

static void documents_beside_a_unit_that_was_built(void **state) {
    (void)state;
    const struct scorer scorer = {.n_units = 10, .bytes = 100000, .workspace = 5000};
    assert_int_equal(partition_docs(&scorer, 100, 25000, 1000), 100);
    assert_int_equal(partition_docs(&scorer, 100, 25000, 60), 60);
    assert_int_equal(partition_docs(&scorer, 100, 15000, 60), 1);
    assert_int_equal(partition_docs(&scorer, 100, 5000, 60), 1);
}

static void partitions_end_with_all_trees(void **state) {
    (void)state;
    size_t taus[PARTITIONS_MOST];
    static const size_t expected[] = {1, 2, 5, 10, 20, 45};
    assert_int_equal(partition_list(45, taus), 6);
    assert_memory_equal(taus, expected, sizeof expected);
    assert_int_equal(partition_list(1, taus), 1);
    assert_int_equal(taus[0], 1);
    assert_int_equal(partition_list(50, taus), 6);
    assert_int_equal(taus[5], 50);
    size_t n = partition_list(UINT32_MAX, taus);
    assert_true(n <= PARTITIONS_MOST);
    assert_int_equal(taus[n - 1], UINT32_MAX);
}

/* Section 5.4: MS50 takes 79.79 ns alone and 42.93 ns in batches of 10. Table 7 has 125.33 and
 * 232.94 queries per second. */
static void throughput_of_table_7(void **state) {
    (void)state;
    const struct query_batch one = {1, 10, 10000, 79.79}, ten = {10, 10, 10000, 42.93};
    assert_near(batch_queries_per_second(&one), 125.33, 0.01);
    assert_near(batch_queries_per_second(&ten), 232.94, 0.01);
    assert_near(batch_service_ms(&one), 7.979, 1e-9);
    assert_near(batch_service_ms(&ten), 42.93, 1e-9);
}

static void queries_wait_for_their_batch(void **state) {
    (void)state;
    const struct query_batch one = {1, 10, 10000, 10}, five = {5, 10, 10000, 10};
    assert_near(batch_mean_wait_ms(&one, 100), 0, 0);
    assert_near(batch_mean_wait_ms(&five, 100), 20, 1e-9); /* 40, 30, 20, 10 and 0 ms */
    assert_true(isinf(batch_mean_wait_ms(&five, 1001)));   /* 1000 queries per second */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_beside_a_unit_that_was_built),
        cmocka_unit_test(partitions_end_with_all_trees),
        cmocka_unit_test(throughput_of_table_7),
        cmocka_unit_test(queries_wait_for_their_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
