/* Models written by LightGBM, compared with LightGBM's own scores. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "base/number.h"
#include "datasets/matrix.h"
#include "models/rewrite.h"
#include "tests/models/lightgbm/lightgbm_text.h"
#include "tests/models/real.h"
#include "tests/models/same.h"

/* Parses the numbers of a text, separated by commas, spaces and newlines. */
static double *read_numbers(const char *file, size_t expected) {
    struct file_text text;
    struct error error;
    if (file_read(real_path(file), &text, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    double *numbers = calloc(expected, sizeof *numbers);
    assert_non_null(numbers);
    const char *at = text.data, *end = text.data + text.size;
    for (size_t i = 0; i < expected; i++) {
        while (at < end && strchr(" ,\n", *at))
            at++;
        at = number_parse_double(at, end, &numbers[i]);
        assert_non_null(at);
    }
    assert_true(at == end || (*at == '\n' && at + 1 == end));
    file_text_free(&text);
    return numbers;
}

static void assert_scores(const struct ensemble *e, const float *x, const double *scores,
                          double *largest) {
    for (uint32_t output = 0; output < e->n_outputs; output++) {
        double difference = fabs(score_by_walking(e, x, output) - scores[output]);
        double relative = difference / fmax(fabs(scores[output]), 1e-3);
        *largest = fmax(*largest, relative);
        assert_true(relative <= 1e-12);
    }
}

/* Checks models as they are, and after writing and reading. */
static void compare_scores(const char *model, uint32_t n_trees, const float *x, size_t stride,
                           size_t n_rows, const char *scores_file) {
    struct ensemble *e = real_model(model);
    assert_int_equal(e->n_trees, n_trees);
    double *scores = read_numbers(scores_file, n_rows * e->n_outputs), largest = 0;
    struct ensemble *back = write_and_read(e);
    assert_true(same_ensemble(e, back));
    for (size_t row = 0; row < n_rows; row++)
        assert_scores(e, x + row * stride, scores + row * e->n_outputs, &largest);
    print_message("%s: largest relative difference %.3g\n", model, largest);
    free(scores);
    ensemble_free(e);
    ensemble_free(back);
}

static void compare_on_letor(const char *model, uint32_t n_trees, uint32_t n_features,
                             const char *data, const char *scores) {
    struct matrix *documents = real_documents(data, NULL), *sized = NULL;
    struct error error;
    if (matrix_resize_features(documents, n_features, 0, &sized, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    compare_scores(model, n_trees, sized->values, sized->stride, sized->n_rows, scores);
    matrix_free(documents);
    matrix_free(sized);
}

static void compare_on_rows(const char *model, uint32_t n_trees, uint32_t n_features,
                            const char *data, const char *scores) {
    enum { ROWS = 1000 };
    double *numbers = read_numbers(data, (size_t)ROWS * n_features);
    float *rows = calloc((size_t)ROWS * n_features, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < (size_t)ROWS * n_features; i++)
        rows[i] = (float)numbers[i];
    compare_scores(model, n_trees, rows, n_features, ROWS, scores);
    free(numbers);
    free(rows);
}

static void test_real_rankers(void **state) {
    (void)state;
    compare_on_letor("models/mq2008.lmart100x31.lgbm.txt.gz", 100, 46, "ltr/mq2008/S5.txt.gz",
                     "models/mq2008.lmart100x31.raw-scores-on.mq2008-S5.txt.gz");
    compare_on_letor("models/web10k.lmart_small.lgbm.txt.gz", 50, 136,
                     "ltr/mslr-web30k-sample/fold1.test.txt.gz",
                     "models/web10k.lmart_small.raw-scores-on.mslr-fold1-test.txt.gz");
    compare_on_letor("models/web30k.lmart259x127.ilmart.lgbm.txt.gz", 259, 136,
                     "ltr/mslr-web30k-sample/fold1.test.txt.gz",
                     "models/web30k.lmart259x127.ilmart.raw-scores-on.mslr-fold1-test.txt.gz");
}

static void test_real_rows_with_nan(void **state) {
    (void)state;
    compare_on_rows("models/multiclass.120.lleaves.lgbm.txt.gz", 120, 13,
                    "models/multiclass.random1000.csv",
                    "models/multiclass.120.lleaves.raw-scores-on.random1000.txt.gz");
    compare_on_rows("models/nyc_taxi.100.lleaves.lgbm.txt.gz", 100, 5,
                    "models/nyc_taxi.random1000.csv",
                    "models/nyc_taxi.100.lleaves.raw-scores-on.random1000.txt.gz");
}

/* Categorical splits: trees with 31 leaves grow, but stay usable. */
static void test_real_categories(void **state) {
    (void)state;
    struct ensemble *e = real_model("models/mtpl2.200.lleaves.lgbm.txt.gz");
    assert_int_equal(e->n_trees, 200);
    assert_int_equal(e->n_features, 15);
    assert_int_equal(e->n_leaves, 200 * 31);
    struct ensemble *plain;
    struct error error;
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_OK);
    assert_in_range(plain->n_leaves, 200 * 31 + 1, 200 * 31 * 5);
    ensemble_free(plain);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_rankers),
        cmocka_unit_test(test_real_rows_with_nan),
        cmocka_unit_test(test_real_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
