/* Documents that are placed for a model whose feature 1 is coded: of text, and of float32. */
#include "datasets/format.h"
#include "datasets/matrix.h"
#include "models/placing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* The codes of feature 1: 0 up to -1e9 - 1, 1 up to -1e9 - 0.5, 2 up to 1, 3 above. */
static struct placing *make_placing(struct ensemble **ensemble) {
    static const double thresholds[] = {-1e9 - 1, -1e9 - 0.5, 1};
    struct ensemble_builder *builder = ensemble_builder_create();
    struct placing *placing = NULL;
    for (size_t i = 0; i < 3; i++) {
        ensemble_builder_add_tree(builder, 0);
        ensemble_builder_add_inner(
            builder,
            &(struct inner_node){.feature = 1, .threshold = thresholds[i], .left = 1, .right = 2});
        ensemble_builder_add_leaf(builder, 0, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
    }
    const struct ensemble_shape shape = {.n_features = 3, .compares_doubles = true};
    assert_int_equal(ensemble_builder_finish(builder, &shape, ensemble, NULL), STATUS_OK);
    assert_int_equal(placing_create(*ensemble, &placing, NULL), STATUS_OK);
    assert_true(placing_is_coded(placing, 1) && placing_count_coded(placing) == 1);
    return placing;
}

static void assert_values(const struct matrix *matrix, size_t row, const float *expected) {
    for (uint32_t i = 0; i < matrix->n_features; i++) {
        float value = matrix_row(matrix, row)[i];
        if (value != expected[i] && !(isnan(value) && isnan(expected[i])))
            fail_msg("row %zu, feature %u: %g instead of %g", row, i, (double)value,
                     (double)expected[i]);
    }
}

/* An absent feature has the code of 0, which is not 0. */
static void text_is_placed(void **state) {
    (void)state;
    static const char text[] = "0 1:-1000000000.75 2:-1000000000.75 3:1\n"
                               "0 1:0.5 3:5\n"
                               "0 2:nan\n";
    struct ensemble *ensemble;
    struct placing *placing = make_placing(&ensemble);
    const struct data_reading reading = {.n_features = 3, .placing = placing};
    struct matrix *matrix = NULL;
    struct error error = {""};
    if (data_format_svmlight.read("f", text, sizeof text - 1, &reading, &matrix, &error))
        fail_msg("%s", error.text);
    assert_values(matrix, 0, (const float[]){-1e9F, 1, 1});
    assert_values(matrix, 1, (const float[]){0.5F, 2, 5});
    assert_values(matrix, 2, (const float[]){0, NAN, 0});
    assert_true(matrix->is_placed);
    assert_int_equal(matrix->n_placed, 1); /* neither NaN nor what became the nearest float32 */
    matrix_free(matrix);
    placing_free(placing);
    ensemble_free(ensemble);
}

/* Of float32, as in a cache: only values of coded features change, and only once. */
static void floats_are_placed_once(void **state) {
    (void)state;
    struct ensemble *ensemble;
    struct placing *placing = make_placing(&ensemble);
    struct matrix *matrix;
    static const float values[][3] = {{-1e9F, -1e9F, 2}, {7, 2e9F, -2e9F}, {NAN, NAN, 1}};
    assert_int_equal(matrix_create(3, 3, &matrix, NULL), STATUS_OK);
    for (size_t row = 0; row < 3; row++)
        memcpy(matrix_row(matrix, row), values[row], sizeof *values);
    for (int repeat = 0; repeat < 2; repeat++) {
        assert_int_equal(matrix_place_coded(matrix, placing, NULL), STATUS_OK);
        assert_values(matrix, 0, (const float[]){-1e9F, 2, 2});
        assert_values(matrix, 1, (const float[]){7, 3, -2e9F});
        assert_values(matrix, 2, (const float[]){NAN, NAN, 1});
    }
    matrix_free(matrix);
    placing_free(placing);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_placed),
        cmocka_unit_test(floats_are_placed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
