/* The policy of lettich2018 section 6.3, against the sizes that the paper prints. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/gpu/qs_policy.h"

/* Table 6: a GTX 1080. */
static const struct device_facts paper = {.units = 20,
                                          .threads_per_unit = 2048,
                                          .threads_per_block = 1024,
                                          .shared_per_unit = 96 << 10,
                                          .shared_per_block = 48 << 10,
                                          .l2_bytes = 2 << 20};

static void bytes_of_a_tree(void **state) {
    (void)state;
    assert_int_equal(qs_policy_tree_bytes(32), 442);
    assert_int_equal(qs_policy_tree_bytes(64), 1142);
    /* the first tau whose bytes exceed L2 */
    assert_int_equal(paper.l2_bytes / 442 + 1, 4745);
    assert_int_equal(paper.l2_bytes / 1142 + 1, 1837);
}

/* Table 7, in its order: MSN-1, Y!S1, Istella. */
static void threads_of_table_7(void **state) {
    (void)state;
    static const struct {
        unsigned trees, leaves, threads, tau;
    } rows[] = {
        {1000, 32, 128, 1000},  {1000, 64, 256, 1000},  {5000, 32, 512, 5000},
        {5000, 64, 256, 1500},  {10000, 32, 512, 5000}, {10000, 64, 256, 1500},
        {20000, 32, 512, 4000}, {20000, 64, 256, 1500}, {1000, 32, 128, 1000},
        {1000, 64, 256, 1000},  {5000, 32, 512, 5000},  {5000, 64, 512, 3000},
        {10000, 32, 512, 5000}, {10000, 64, 512, 2000}, {20000, 32, 512, 5000},
        {20000, 64, 512, 3000}, {1000, 32, 128, 1000},  {1000, 64, 256, 1000},
        {5000, 32, 512, 5000},  {5000, 64, 512, 3000},  {10000, 32, 512, 5000},
        {10000, 64, 512, 3000}, {20000, 32, 512, 5000}, {20000, 64, 512, 3000},
    };
    assert_int_equal(sizeof rows / sizeof *rows, 24);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(qs_policy_threads(&paper, rows[i].tau, rows[i].leaves), rows[i].threads);
}

static void threads_at_the_limits(void **state) {
    (void)state;
    struct device_facts small = paper;
    assert_int_equal(qs_policy_threads(&paper, 1, 32), 32);
    assert_int_equal(qs_policy_threads(&paper, 12288, 32), 1024);
    /* leaf sets over half of a unit's shared memory: one block of as many threads as there can be
     */
    assert_int_equal(qs_policy_threads(&paper, 20000, 32), 1024);
    small.threads_per_block = 256;
    assert_int_equal(qs_policy_threads(&small, 20000, 32), 256);
}

static void trees_of_a_block(void **state) {
    (void)state;
    assert_int_equal(qs_policy_most_trees(&paper, 32), 12288);
    assert_int_equal(qs_policy_most_trees(&paper, 64), 6144);
    /* 4,744 trees of 32 leaves fit in L2: 20,000 trees are 5 equal blocks */
    assert_int_equal(qs_policy_tau(&paper, 20000, 32), 4000);
    assert_int_equal(qs_policy_tau(&paper, 1000, 32), 1000);
    assert_int_equal(qs_policy_tau(&paper, 0, 32), 1);
    /* an H100 needs no blocks for 20,000 trees of 64 leaves */
    const struct device_facts h100 = {.shared_per_block = 227 << 10, .l2_bytes = 50 << 20};
    assert_int_equal(qs_policy_tau(&h100, 20000, 64), 20000);
    /* a device with hardly any cache still gets a tree per block */
    const struct device_facts tiny = {.shared_per_block = 48 << 10, .l2_bytes = 100};
    assert_int_equal(qs_policy_tau(&tiny, 10, 32), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_a_tree),
        cmocka_unit_test(threads_of_table_7),
        cmocka_unit_test(threads_at_the_limits),
        cmocka_unit_test(trees_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
