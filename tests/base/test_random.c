#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The authors' xoshiro256** from state {1, 2, 3, 4}, which other libraries test too. */
static void the_generator_is_xoshiro256(void **state) {
    (void)state;
    static const uint64_t expected[] = {11520u, 0u, 1509978240u, 1215971899390074240u};
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(random_u64(&random) == expected[i]);
}

static void seeds_are_spread_by_splitmix64(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 0);
    assert_true(random.state[0] == 0xe220a8397b1dcdafu);
    assert_true(random.state[1] == 0x6e789e6aa1b965f4u);
    assert_true(random_derive(1, 1) != random_derive(1, 2));
    assert_true(random_derive(1, 1) != random_derive(2, 1));
}

static void numbers_stay_in_their_range(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 7);
    unsigned seen[5] = {0};
    for (int i = 0; i < 10000; i++) {
        seen[random_below(&random, 5)]++;
        float f = random_float(&random);
        double d = random_double(&random);
        assert_true(f >= 0 && f < 1 && d >= 0 && d < 1);
        assert_true(random_below(&random, 1) == 0);
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(seen[i], 1800, 2200);
}

/* 64 bits modulo three quarters of 2^64 would be in the first third half of the time. */
static void no_number_is_more_likely_than_others(void **state) {
    (void)state;
    const uint64_t third = UINT64_C(1) << 62;
    struct random random;
    random_seed(&random, 9);
    unsigned seen[3] = {0};
    for (int i = 0; i < 6000; i++)
        seen[random_below(&random, 3 * third) / third]++;
    for (int i = 0; i < 3; i++)
        assert_in_range(seen[i], 1850, 2150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_xoshiro256),
        cmocka_unit_test(seeds_are_spread_by_splitmix64),
        cmocka_unit_test(numbers_stay_in_their_range),
        cmocka_unit_test(no_number_is_more_likely_than_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
