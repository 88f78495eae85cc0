/* XGBoost's JSON: models that are written and read back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xgboost/c_api.h>

#include "models/rewrite.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"
#include "tests/models/xgboost/xgboost_text.h"

static char *write_text(const struct ensemble *e, size_t *size) {
    char *text = NULL;
    struct error error = {""};
    FILE *stream = open_memstream(&text, size);
    assert_non_null(stream);
    if (format_named("xgboost")->write(e, stream, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static struct ensemble *write_and_read(const struct ensemble *e) {
    size_t size;
    char *text = write_text(e, &size);
    assert_true(format_named("xgboost")->recognise(text, size));
    struct ensemble *back = read_good("xgboost", text);
    free(text);
    return back;
}

static void test_written_is_read(void **state) {
    (void)state;
    static const char *const models[] = {
        XGB_TWO_TREES,
        XGB_ONE_LEAF("binary:logistic", "0.25"),
        XGB_CATEGORICAL("0,2,3,7", "0", "4", "0"),
        XGB_MODEL("reg:squarederror", "0", "0", "1", "1", "0",
                  XGB_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "-Infinity,1,2", "1,0,0", "3")),
        XGB_MODEL("reg:squarederror", "0", "0", "1", "1", "0",
                  XGB_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "Infinity,1,2", "1,0,0", "3")),
        XGB_MODEL("multi:softmax", "0.5", "3", "2", "2", "2, 0",
                  XGB_THREE_LEAVES "," XGB_LEAF("1e-45")),
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct ensemble *read = read_good("xgboost", models[i]), *e = NULL;
        struct error error;
        assert_int_equal(ensemble_rewrite_sets(read, &e, &error), STATUS_OK);
        ensemble_free(read);
        struct ensemble *back = write_and_read(e);
        assert_true(same_ensemble(e, back));
        ensemble_free(back);
        ensemble_free(e);
    }
}

/* XGBoost takes a number without a point or an exponent for an integer, and refuses it; and the
 * node behind a left child for the right one, wherever a document has no NaN. */
static void test_written_is_read_by_xgboost(void **state) {
    (void)state;
    enum { ROWS = 4 };
    const float x[ROWS][2] = {{0, 0}, {1, 2}, {NAN, 1}, {3, NAN}};
    struct ensemble *e =
        read_good("xgboost", XGB_MODEL("reg:squarederror", "1", "0", "2", "1", "0",
                                       XGB_TREE("1,3,-1,-1,-1", "2,4,-1,-1,-1", "1,0,0,0,0",
                                                "1,0.5,10,20,30", "1,0,0,0,0", "5")));
    size_t size;
    char *text = write_text(e, &size);
    BoosterHandle booster;
    DMatrixHandle matrix;
    bst_ulong n_scores;
    const float *scores;
    assert_int_equal(XGBoosterCreate(NULL, 0, &booster), 0);
    assert_int_equal(XGBoosterSetParam(booster, "nthread", "1"), 0);
    if (XGBoosterLoadModelFromBuffer(booster, text, size))
        fail_msg("%s", XGBGetLastError());
    assert_int_equal(XGDMatrixCreateFromMat(x[0], ROWS, 2, NAN, &matrix), 0);
    assert_int_equal(XGBoosterPredict(booster, matrix, 1, 0, 0, &n_scores, &scores), 0);
    assert_int_equal(n_scores, ROWS);
    for (size_t row = 0; row < ROWS; row++)
        assert_true((double)scores[row] == score_by_walking(e, x[row], 0));
    XGDMatrixFree(matrix);
    XGBoosterFree(booster);
    free(text);
    ensemble_free(e);
}

static void test_different_bases_are_written_as_trees(void **state) {
    (void)state;
    static const char *const models[] = {
        XGB_MODEL("multi:softprob", "[1,2]", "2", "2", "1", "1", XGB_THREE_LEAVES),
        XGB_MODEL("multi:softprob", "[2,1]", "2", "2", "1", "1", XGB_THREE_LEAVES)};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct ensemble *e = read_good("xgboost", models[i]);
        struct ensemble *back = write_and_read(e);
        const float x[2] = {0, 1};
        assert_int_equal(back->n_trees, 3);
        for (uint32_t k = 0; k < 2; k++)
            assert_true(score_by_walking(e, x, k) == score_by_walking(back, x, k));
        ensemble_free(back);
        ensemble_free(e);
    }
}

static void test_too_large_for_float(void **state) {
    (void)state;
    struct ensemble *e = read_good("xgboost", XGB_ONE_LEAF("rank:ndcg", "0"));
    struct error error;
    e->value[0] = 1e200;
    assert_int_equal(format_named("xgboost")->write(e, stdout, &error), STATUS_UNSUPPORTED);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_written_is_read_by_xgboost),
        cmocka_unit_test(test_different_bases_are_written_as_trees),
        cmocka_unit_test(test_too_large_for_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
