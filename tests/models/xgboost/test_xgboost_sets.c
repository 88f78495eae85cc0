/* Set nodes in XGBoost's JSON: as categories if possible, otherwise as plain tests. XGBoost must
 * score the written models like treebench. */
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

#include "tests/models/reading.h"
#include "tests/models/same.h"

static const float values[] = {-INFINITY,  -2,       -1,       -0.5F,    -1e-45F, -0.0F, 0, 0.5F,
                               0.9999999F, 1,        1.5F,     2,        2.5F,    3,     4, 7,
                               7.5F,       16777214, 16777215, 16777216, 2e7F,    NAN};
enum { N_VALUES = sizeof values / sizeof *values };

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

static void compare_with_xgboost(const struct ensemble *e, const char *text, size_t size) {
    BoosterHandle booster;
    DMatrixHandle matrix;
    bst_ulong n_scores;
    const float *scores;
    assert_int_equal(XGBoosterCreate(NULL, 0, &booster), 0);
    assert_int_equal(XGBoosterSetParam(booster, "nthread", "1"), 0);
    if (XGBoosterLoadModelFromBuffer(booster, text, size))
        fail_msg("%s", XGBGetLastError());
    /* XGBoost does not accept infinity. */
    assert_int_equal(XGDMatrixCreateFromMat(values + 1, N_VALUES - 1, 1, NAN, &matrix), 0);
    assert_int_equal(XGBoosterPredict(booster, matrix, 1, 0, 0, &n_scores, &scores), 0);
    for (size_t i = 1; i < N_VALUES; i++)
        if ((double)scores[i - 1] != score_by_walking(e, &values[i], 0))
            fail_msg("%g: %g instead of %g", (double)values[i], (double)scores[i - 1],
                     score_by_walking(e, &values[i], 0));
    XGDMatrixFree(matrix);
    XGBoosterFree(booster);
}

/* One split: its set goes left and scores 1, the others score 2. */
static struct ensemble *make(const double *cuts, uint32_t n_cuts, bool lowest_right,
                             bool nan_left) {
    struct ensemble_builder *b = ensemble_builder_create();
    struct ensemble *e = NULL;
    struct error error;
    assert_non_null(b);
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(b, &(struct inner_node){.left = 1,
                                                       .right = 2,
                                                       .nan_left = nan_left,
                                                       .count = ENSEMBLE_NO_COUNT,
                                                       .cuts = cuts,
                                                       .n_cuts = n_cuts,
                                                       .lowest_right = lowest_right});
    ensemble_builder_add_leaf(b, 1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, 2, ENSEMBLE_NO_COUNT);
    const struct ensemble_shape shape = {.n_features = 1};
    if (ensemble_builder_finish(b, &shape, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static double below(float x) {
    return (double)nextafterf(x, -INFINITY);
}

/* Writes, reads back and compares. Returns whether categories were written. */
static void check(struct ensemble *e, bool as_categories) {
    size_t size;
    char *text = write_text(e, &size);
    struct ensemble *back = read_good("xgboost", text);
    assert_non_null(e->set);
    assert_int_equal(back->set != NULL, as_categories);
    if (as_categories)
        assert_true(same_ensemble(e, back));
    for (size_t i = 0; i < N_VALUES; i++)
        assert_true(score_by_walking(e, &values[i], 0) == score_by_walking(back, &values[i], 0));
    compare_with_xgboost(e, text, size);
    ensemble_free(back);
    ensemble_free(e);
    free(text);
}

static void test_categories(void **state) {
    (void)state;
    const double some[] = {below(0), below(1), below(2), below(4), below(7), below(8)};
    const double last[] = {below(16777215), below(16777216)};
    for (int nan_left = 0; nan_left < 2; nan_left++) {
        check(make(some, 6, false, nan_left), true);
        check(make(some, 6, true, nan_left), true);
        check(make(last, 2, false, nan_left), true);
    }
}

static void test_other_sets_are_plain_tests(void **state) {
    (void)state;
    const double from_half[] = {below(0.5F), below(2)}, open[] = {below(0), below(1), below(2)},
                 negative[] = {below(-1), below(1)}, large[] = {below(0), 3e7};
    check(make(from_half, 2, false, true), false);
    check(make(open, 3, false, false), false);
    check(make(negative, 2, true, true), false);
    check(make(large, 2, false, false), false);
    /* No float32 lies in this set, and XGBoost refuses empty ones. */
    const double empty[] = {below(3), nextafter(below(3), 3)};
    check(make(empty, 2, true, false), false);
}

/* The categories of all nodes of a tree are in one list. */
static void test_two_sets_in_a_tree(void **state) {
    (void)state;
    const double root[] = {below(1), below(3)}, child[] = {below(2), below(3), below(5), below(6)};
    struct ensemble_builder *b = ensemble_builder_create();
    struct ensemble *e = NULL;
    assert_non_null(b);
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b, &(struct inner_node){
               .left = 1, .right = 2, .count = ENSEMBLE_NO_COUNT, .cuts = root, .n_cuts = 2});
    ensemble_builder_add_inner(
        b, &(struct inner_node){
               .left = 3, .right = 4, .count = ENSEMBLE_NO_COUNT, .cuts = child, .n_cuts = 4});
    for (int leaf = 0; leaf < 3; leaf++)
        ensemble_builder_add_leaf(b, 1 << leaf, ENSEMBLE_NO_COUNT);
    const struct ensemble_shape shape = {.n_features = 1};
    assert_int_equal(ensemble_builder_finish(b, &shape, &e, NULL), STATUS_OK);
    check(e, true);
}

/* A chain of splits on different features, each with ten pieces that are not categories: every
 * level multiplies what is below it. */
static struct ensemble *make_chain(uint32_t levels) {
    enum { N_CUTS = 20 };
    struct ensemble_builder *b = ensemble_builder_create();
    struct ensemble *e = NULL;
    struct error error;
    double cuts[N_CUTS];
    assert_non_null(b);
    for (uint32_t i = 0; i < N_CUTS; i++)
        cuts[i] = i + 0.5;
    ensemble_builder_add_tree(b, 0);
    for (uint32_t i = 0; i < levels; i++) {
        ensemble_builder_add_inner(b, &(struct inner_node){.feature = i,
                                                           .left = i + 1,
                                                           .right = levels + 1 + i,
                                                           .count = ENSEMBLE_NO_COUNT,
                                                           .cuts = cuts,
                                                           .n_cuts = N_CUTS});
    }
    for (uint32_t i = 0; i <= levels; i++)
        ensemble_builder_add_leaf(b, i, ENSEMBLE_NO_COUNT);
    const struct ensemble_shape shape = {.n_features = levels};
    if (ensemble_builder_finish(b, &shape, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void test_too_many_plain_tests(void **state) {
    (void)state;
    struct ensemble *e = make_chain(12);
    struct error error = {""};
    assert_int_equal(format_named("xgboost")->write(e, stdout, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, ". treebench JSON stores categories unchanged"));
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_other_sets_are_plain_tests),
        cmocka_unit_test(test_two_sets_in_a_tree),
        cmocka_unit_test(test_too_many_plain_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
