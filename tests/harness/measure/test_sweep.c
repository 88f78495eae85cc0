/* Which caches a sweep fills, and what remains of the next one. */
#include "harness/measure/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { KB = 1024, MB = 1024 * KB };

static void test_a_sweep_is_twice_the_caches_that_it_fills(void **state) {
    (void)state;
    static const struct cpu_info cpu = {.l1d_bytes = 32 * KB, .l2_bytes = MB, .l3_bytes = 32 * MB};
    assert_int_equal(sweep_size(&cpu, SWEEP_L1), 64 * KB);
    assert_int_equal(sweep_room(&cpu, SWEEP_L1), MB - 64 * KB);
    assert_int_equal(sweep_size(&cpu, SWEEP_L2), 2 * MB);
    assert_int_equal(sweep_room(&cpu, SWEEP_L2), 30 * MB);
    assert_int_equal(sweep_size(&cpu, SWEEP_ALL), 64 * MB);
    assert_int_equal(sweep_room(&cpu, SWEEP_ALL), 0);
}

static void test_a_level_without_a_size_cannot_be_chosen(void **state) {
    (void)state;
    static const struct cpu_info unknown = {.cores = 1},
                                 no_l3 = {.l1d_bytes = 32 * KB, .l2_bytes = 48 * KB};
    assert_int_equal(sweep_size(&unknown, SWEEP_L1), 0);
    assert_int_equal(sweep_size(&no_l3, SWEEP_L2), 0);
    assert_int_equal(sweep_room(&no_l3, SWEEP_L1), 0); /* the sweep alone fills L2 */
    assert_int_equal(sweep_size(&no_l3, SWEEP_ALL), 96 * KB);
    assert_true(sweep_size(&unknown, SWEEP_ALL) >= 32 * MB);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sweep_is_twice_the_caches_that_it_fills),
        cmocka_unit_test(test_a_level_without_a_size_cannot_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
