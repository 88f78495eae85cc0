/* Real XGBoost models give the same scores as XGBoost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "base/number.h"
#include "datasets/data.h"
#include "tests/models/reading.h"
#include "tests/models/real.h"

enum { MAX_COLUMNS = 128 };

static struct file_text read_text(const char *file) {
    struct file_text text = {0};
    struct error error;
    if (file_read(real_path(file), &text, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return text;
}

static double relative_difference(double a, double b) {
    return fabs(a - b) / fmax(fabs(b), 1);
}

static const char *read_value(const char *at, const char *end, float *value) {
    const char *behind = number_parse_float(at, end, value);
    assert_non_null(behind);
    return behind < end ? behind + 1 : behind; /* after the comma or the newline */
}

/* Scores the rows of a CSV without a header, whose last column is the expected prediction. Returns
 * the largest relative difference. */
static double compare_csv(const struct ensemble *e, const char *file, bool sigmoid, size_t rows) {
    struct file_text text = read_text(file);
    const char *at = text.data, *end = text.data + text.size;
    double largest = 0;
    size_t n = 0;
    for (; at < end; n++) {
        float x[MAX_COLUMNS], expected;
        for (uint32_t f = 0; f < e->n_features; f++)
            at = read_value(at, end, &x[f]);
        at = read_value(at, end, &expected);
        double score = score_by_walking(e, x, 0);
        if (sigmoid)
            score = 1 / (1 + exp(-score));
        largest = fmax(largest, relative_difference(score, (double)expected));
    }
    assert_int_equal(n, rows);
    file_text_free(&text);
    return largest;
}

static void check_csv(const char *model, const char *csv, bool sigmoid, size_t rows) {
    struct ensemble *e = real_model(model);
    double largest = compare_csv(e, csv, sigmoid, rows);
    print_message("%s: largest relative difference %.2g\n", model, largest);
    assert_int_equal(e->n_trees, 100);
    assert_true(largest < 1e-5);
    ensemble_free(e);
}

static void test_airline(void **state) {
    (void)state;
    check_csv("models/airline.100.treebeard.xgb.json.gz",
              "tabular/airline.test2000.with_xgb_prediction.csv.gz", true, 2000);
}

static void test_higgs(void **state) {
    (void)state;
    check_csv("models/higgs.100.treebeard.xgb.json.gz",
              "tabular/higgs.test2000.with_xgb_prediction.csv.gz", true, 2000);
}

static void test_year(void **state) {
    (void)state;
    check_csv("models/year_prediction_msd.100.treebeard.xgb.json.gz",
              "tabular/year_prediction_msd.random1000.with_xgb_prediction.csv.gz", false, 1000);
}

/* The old binary format. Absent features are missing. The model was trained on documents whose
 * features were read as numbered from 0, so its feature f is column f - 1 of the matrix. */
static void test_mq2008(void **state) {
    (void)state;
    struct ensemble *e = real_model("models/mq2008.treelite.xgb.bin.gz");
    assert_int_equal(e->n_trees, 540);
    struct matrix *m = NULL;
    struct error error;
    struct data_reading reading = {.missing = NAN, .n_features = e->n_features};
    if (data_read(real_path("ltr/mq2008-xgb/mq2008.test.gz"), &reading, &m, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    struct file_text text = read_text("ltr/mq2008-xgb/mq2008.test.pred");
    const char *at = text.data, *end = text.data + text.size;
    double largest = 0;
    for (size_t row = 0; row < m->n_rows; row++) {
        float x[MAX_COLUMNS] = {NAN}, expected;
        memcpy(x + 1, matrix_row(m, row), (e->n_features - 1) * sizeof *x);
        at = read_value(at, end, &expected);
        double score = score_by_walking(e, x, 0);
        largest = fmax(largest, relative_difference(score, (double)expected));
    }
    print_message("mq2008: largest relative difference %.2g\n", largest);
    assert_true(at == end);
    assert_int_equal(m->n_rows, 2874);
    assert_true(largest < 1e-5);
    file_text_free(&text);
    matrix_free(m);
    ensemble_free(e);
}

/* A margin that XGBoost printed with three decimals. */
static void test_logitraw(void **state) {
    (void)state;
    struct ensemble *e = real_model("makers/logitraw.xgb.json");
    const float x[] = {0, 9};
    const double margins[] = {0.071, 0.760};
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs(score_by_walking(e, &x[i], 0) - margins[i]) < 0.0005);
    assert_int_equal(e->best_trees, 1);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_airline),  cmocka_unit_test(test_higgs),
        cmocka_unit_test(test_year),     cmocka_unit_test(test_mq2008),
        cmocka_unit_test(test_logitraw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
