#include "harness/latency/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static int set_up(void **state) {
    *state = histogram_create();
    return *state ? 0 : 1;
}

static int tear_down(void **state) {
    free(*state);
    return 0;
}

static void test_each_value_is_found_again_to_three_digits(void **state) {
    for (uint64_t value = 0; value <= HISTOGRAM_MOST; value = value * 5 / 4 + 1) {
        histogram_clear(*state);
        histogram_record(*state, value);
        histogram_record(*state, HISTOGRAM_MOST);
        uint64_t found = histogram_at(*state, 0);
        assert_true(found >= value && found - value <= value / 1024);
        assert_true(value >= 2048 || found == value);
    }
}

static void test_values_that_are_too_large_count_as_the_largest(void **state) {
    histogram_record(*state, UINT64_MAX);
    assert_int_equal(histogram_at(*state, 0), HISTOGRAM_MOST);
}

static void test_positions_are_those_of_the_sorted_values(void **state) {
    static const uint64_t values[] = {30, 10, 20, 10, 2000};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        histogram_record(*state, values[i]);
    static const uint64_t sorted[] = {10, 10, 20, 30, 2000};
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        assert_int_equal(histogram_at(*state, i), sorted[i]);
    const struct histogram *histogram = *state;
    assert_true(histogram->least == 10 && histogram->most == 2000 && histogram->total == 5);
}

static void test_a_percentile_is_a_value_that_occurred(void **state) {
    assert_int_equal(histogram_percentile(*state, 0.5), 0);
    for (uint64_t value = 1; value <= 1000; value++)
        histogram_record(*state, value);
    assert_int_equal(histogram_percentile(*state, 0.5), 500);
    assert_int_equal(histogram_percentile(*state, 0.01), 990);
    assert_int_equal(histogram_percentile(*state, 0.0001), 1000);
}

static void test_merged_histograms_have_the_values_of_both(void **state) {
    struct histogram *other = histogram_create();
    assert_non_null(other);
    histogram_record(*state, 100);
    histogram_record(other, 7);
    histogram_record(other, 100);
    histogram_record(other, 1000000);
    histogram_merge(*state, other);
    const struct histogram *merged = *state;
    assert_true(merged->total == 4 && merged->least == 7 && merged->most == 1000000);
    assert_int_equal(histogram_at(*state, 0), 7);
    assert_int_equal(histogram_at(*state, 2), 100);
    assert_int_equal(histogram_at(*state, 3), 1000000);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_value_is_found_again_to_three_digits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_values_that_are_too_large_count_as_the_largest, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_positions_are_those_of_the_sorted_values, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_percentile_is_a_value_that_occurred, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_merged_histograms_have_the_values_of_both, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
