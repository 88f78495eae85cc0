/* What CODEGEN makes of sets: which kind of test each one becomes. (That the tests decide as the
 * reference does is in test_exactness.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impls/codegen/codegen_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double cuts[400];

/* [first, first + 1), [first + 2, first + 3), ... */
static uint32_t every_second(uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        cuts[i] = nextafter(first + i, -INFINITY);
    return count;
}

static struct ensemble *stump(uint32_t n_cuts, bool nan_left) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct ensemble *ensemble = NULL;
    const struct inner_node node = {.feature = 3,
                                    .left = 1,
                                    .right = 2,
                                    .nan_left = nan_left,
                                    .cuts = cuts,
                                    .n_cuts = n_cuts,
                                    .count = ENSEMBLE_NO_COUNT};
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_inner(builder, &node);
    ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(builder, 2, ENSEMBLE_NO_COUNT);
    const struct ensemble_shape shape = {.n_features = 4};
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

/* The set's table, if it has one, and its test. */
static void expect(uint32_t n_cuts, bool nan_left, const char *expected) {
    struct ensemble *ensemble = stump(n_cuts, nan_left);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    codegen_write_set_tables(stream, ensemble, 0);
    codegen_write_set_test(stream, ensemble, 0);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
    ensemble_free(ensemble);
}

static void test_one_category_is_two_comparisons(void **state) {
    (void)state;
    every_second(5, 2);
    expect(2, true, "!((x[3] > 4.9999995f && x[3] <= 5.9999995f))");
    expect(2, false, "((x[3] <= 4.9999995f) || (x[3] > 5.9999995f))");
}

static void test_few_categories_are_bits_of_a_constant(void **state) {
    (void)state;
    every_second(1, 4); /* 1 and 3 go right */
    expect(4, true,
           "!(x[3] > 0.99999994f && x[3] <= 3.9999998f && "
           "(0x5ull >> ((unsigned)x[3] - 1u) & 1))");
    expect(4, false,
           "x[3] == x[3] && !(x[3] > 0.99999994f && x[3] <= 3.9999998f && "
           "(0x5ull >> ((unsigned)x[3] - 1u) & 1))");
    expect(3, false,
           "(x[3] <= 0.99999994f || (x[3] <= 2.9999998f && "
           "!(0x1ull >> ((unsigned)x[3] - 1u) & 1)))");
    expect(3, true,
           "x[3] != x[3] || (x[3] <= 0.99999994f || (x[3] <= 2.9999998f && "
           "!(0x1ull >> ((unsigned)x[3] - 1u) & 1)))");
}

/* Category 0 is (-1, 1) to LightGBM: a conversion to an integer rounds towards 0 as well. */
static void test_category_0_may_begin_below_0(void **state) {
    (void)state;
    every_second(0, 4);
    cuts[0] = -1;
    expect(4, true,
           "!(x[3] > -1.0f && x[3] <= 2.9999998f && "
           "(0x5ull >> ((unsigned)x[3] - 0u) & 1))");
    cuts[0] = -1.5;
    expect(4, true,
           "!((x[3] > -1.5f && x[3] <= 0.99999994f) || "
           "(x[3] > 1.9999999f && x[3] <= 2.9999998f))");
}

static void test_many_categories_are_bits_of_a_table(void **state) {
    (void)state;
    every_second(1000, 66);
    expect(66, true,
           "static const unsigned long long set_0[] = {\n0x5555555555555555ull,\n0x1ull,\n};\n"
           "!(x[3] > 999.99994f && x[3] <= 1064.9999f && "
           "(set_0[((unsigned)x[3] - 1000u) >> 6] >> (((unsigned)x[3] - 1000u) & 63) & 1))");
}

static void test_other_sets_are_searched(void **state) {
    (void)state;
    for (int i = 0; i < 7; i++)
        cuts[i] = i + 0.5;
    static const char table[] = "static const float set_0[] = {\n0.5f,\n1.5f,\n2.5f,\n"
                                "3.5f,\n4.5f,\n5.5f,\n__builtin_inff(),\n};\n";
    char expected[512];
    cuts[6] = INFINITY;
    snprintf(expected, sizeof expected, "%s!(cuts_under(set_0, 7, x[3]) & 1)", table);
    expect(7, true, expected);
    snprintf(expected, sizeof expected, "%sx[3] == x[3] && !(cuts_under(set_0, 7, x[3]) & 1)",
             table);
    expect(7, false, expected);
}

static void test_fractions_are_no_categories(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++)
        cuts[i] = i + 0.5;
    expect(3, true, "!((x[3] > 0.5f && x[3] <= 1.5f) || (x[3] > 2.5f))");
}

/* A table would be too large. */
static void test_far_categories_are_searched(void **state) {
    (void)state;
    every_second(1, 8);
    cuts[7] = nextafter(5000, 0);
    struct ensemble *ensemble = stump(8, true);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    codegen_write_set_test(stream, ensemble, 0);
    assert_int_equal(fclose(stream), 0);
    assert_non_null(strstr(text, "cuts_under"));
    free(text);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_category_is_two_comparisons),
        cmocka_unit_test(test_few_categories_are_bits_of_a_constant),
        cmocka_unit_test(test_category_0_may_begin_below_0),
        cmocka_unit_test(test_many_categories_are_bits_of_a_table),
        cmocka_unit_test(test_other_sets_are_searched),
        cmocka_unit_test(test_far_categories_are_searched),
        cmocka_unit_test(test_fractions_are_no_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
