/* Few documents become many: the given ones, then mixtures of two of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/tuning/tune.h"

enum { FEATURES = 8, ROWS = 50 };

static void mixtures_follow_the_given_documents(void **state) {
    (void)state;
    struct matrix *few, *many;
    assert_int_equal(matrix_create(2, FEATURES, &few, NULL), STATUS_OK);
    for (uint32_t f = 0; f < FEATURES; f++) {
        matrix_row(few, 0)[f] = (float)f;
        matrix_row(few, 1)[f] = (float)f + 100;
    }
    assert_int_equal(tune_documents_resample(few, ROWS, &many, NULL), STATUS_OK);
    assert_memory_equal(matrix_row(many, 0), matrix_row(few, 0), FEATURES * sizeof(float));
    assert_memory_equal(matrix_row(many, 1), matrix_row(few, 1), FEATURES * sizeof(float));
    size_t mixed = 0;
    for (size_t row = 2; row < ROWS; row++) {
        uint32_t from_second = 0;
        for (uint32_t f = 0; f < FEATURES; f++) {
            float x = matrix_row(many, row)[f];
            assert_true(x == (float)f || x == (float)f + 100);
            from_second += x >= 100;
        }
        mixed += from_second > 0 && from_second < FEATURES;
    }
    assert_in_range(mixed, ROWS / 4, ROWS);
    matrix_free(few);
    matrix_free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixtures_follow_the_given_documents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
