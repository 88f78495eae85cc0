#include "datasets/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void rows_are_padded_to_cache_lines(void **state) {
    (void)state;
    static const struct {
        uint32_t n_features;
        size_t stride;
    } cases[] = {{0, 0}, {1, 16}, {16, 16}, {17, 32}, {136, 144}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix *matrix;
        assert_int_equal(matrix_create(3, cases[i].n_features, &matrix, NULL), STATUS_OK);
        assert_int_equal(matrix->stride, cases[i].stride);
        assert_int_equal((uintptr_t)matrix_row(matrix, 1) % 64, 0);
        for (size_t j = 0; j < 3 * matrix->stride; j++)
            assert_true(matrix->values[j] == 0);
        assert_null(matrix->labels);
        assert_int_equal(matrix->n_queries, 0);
        matrix_free(matrix);
    }
    matrix_free(NULL);
}

static void absurd_sizes_are_refused(void **state) {
    (void)state;
    struct matrix *matrix;
    struct error error;
    assert_int_equal(matrix_create(SIZE_MAX / 2, 100, &matrix, &error), STATUS_MEMORY);
    assert_null(matrix);
    assert_int_equal(matrix_create((size_t)1 << 31, 16, &matrix, &error), STATUS_MEMORY);
    assert_non_null(strstr(error.text, "64 GiB"));
}

static void columns_are_added_and_dropped(void **state) {
    (void)state;
    struct matrix *matrix, *resized;
    assert_int_equal(matrix_create(2, 3, &matrix, NULL), STATUS_OK);
    for (size_t row = 0; row < 2; row++)
        for (size_t i = 0; i < 3; i++)
            matrix_row(matrix, row)[i] = (float)(10 * row + i + 1);

    assert_int_equal(matrix_resize_features(matrix, 2, NAN, &resized, NULL), STATUS_OK);
    assert_int_equal(resized->n_features, 2);
    assert_true(matrix_row(resized, 1)[1] == 12 && matrix_row(resized, 1)[2] == 0);
    matrix_free(resized);

    assert_int_equal(matrix_resize_features(matrix, 17, NAN, &resized, NULL), STATUS_OK);
    assert_true(matrix_row(resized, 1)[2] == 13 && isnan(matrix_row(resized, 1)[3]));
    assert_true(isnan(matrix_row(resized, 1)[16]) && matrix_row(resized, 1)[17] == 0);
    matrix_free(resized);
    matrix_free(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_padded_to_cache_lines),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(columns_are_added_and_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
