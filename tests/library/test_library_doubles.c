/* Documents of doubles, and categories, through the library. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "library/treebench.h"

#define HEADER                                                                                     \
    "tree\nversion=v4\nnum_tree_per_iteration=1\nmax_feature_idx=1\nfeature_names=a b\n"           \
    "feature_infos=0:1:2 [0:1]\n\n"
#define DECIMAL                                                                                    \
    HEADER "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=1\nthreshold=0.15000000000000005\n"     \
           "decision_type=8\nleft_child=-1\nright_child=-2\nleaf_value=10 20\n\nend of trees\n"
#define SECONDS                                                                                    \
    HEADER "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=1 1\n"                                  \
           "threshold=1700000000.5 1700000001.5\ndecision_type=8 8\nleft_child=-1 -2\n"            \
           "right_child=1 -3\nleaf_value=10 20 30\n\nend of trees\n"
/* Two outputs: the seconds' feature, and the other one. */
#define OUTPUTS                                                                                    \
    "tree\nversion=v4\nnum_class=2\nnum_tree_per_iteration=2\nmax_feature_idx=1\n"                 \
    "feature_names=a b\nfeature_infos=[0:1] [0:1]\n\n"                                             \
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=1 1\n"                                         \
    "threshold=1700000000.5 1700000001.5\ndecision_type=8 8\nleft_child=-1 -2\n"                   \
    "right_child=1 -3\nleaf_value=10 20 30\n\n"                                                    \
    "Tree=1\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nthreshold=0.15000000000000005\n"            \
    "decision_type=8\nleft_child=-1\nright_child=-2\nleaf_value=1 2\n\nend of trees\n"
#define COLOURS                                                                                    \
    HEADER                                                                                         \
    "Tree=0\nnum_leaves=2\nnum_cat=1\nsplit_feature=0\nthreshold=0\ndecision_type=1\n"             \
    "left_child=-1\nright_child=-2\nleaf_value=10 20\ncat_boundaries=0 1\n"                        \
    "cat_threshold=5\n\nend of trees\npandas_categorical:[[\"red\", \"green\", \"blue\"]]\n"

static struct tb_model *open_text(const char *text) {
    char path[] = "/tmp/treebench-doubles-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    struct tb_model *model = NULL;
    struct tb_error error = {""};
    if (tb_model_open(path, &model, &error))
        fail_msg("%s", error.text);
    unlink(path);
    return model;
}

/* The model may be freed before its scorer is used. */
static struct tb_context *context_of(const char *text, const char *impl,
                                     struct tb_scorer **scorer) {
    struct tb_model *model = open_text(text);
    struct tb_context *context = NULL;
    struct tb_error error = {""};
    if (tb_scorer_build(model, impl, scorer, &error) ||
        tb_context_create(*scorer, &context, &error))
        fail_msg("%s: %s", impl, error.text);
    tb_model_free(model);
    return context;
}

enum { ROWS = 1500, STRIDE = 3 };

/* Rows whose feature 1 are the values by turns, for every implementation that runs here. */
static void assert_scores(const char *text, const double *values, const double *expected,
                          const double *expected_of_floats, size_t n) {
    static double rows[ROWS * STRIDE], scores[ROWS];
    static float floats[ROWS * STRIDE];
    for (size_t i = 0; i < ROWS; i++) {
        rows[i * STRIDE] = 0;
        rows[i * STRIDE + 1] = values[i % n];
        for (size_t f = 0; f < 2; f++)
            floats[i * STRIDE + f] = (float)rows[i * STRIDE + f];
    }
    for (size_t impl = 0; impl < tb_impl_count(); impl++) {
        struct tb_scorer *scorer = NULL;
        if (!tb_impl_runs_here(impl))
            continue;
        struct tb_context *context = context_of(text, tb_impl_name(impl), &scorer);
        assert_int_equal(tb_score_doubles(context, rows, ROWS, 2, STRIDE, scores, NULL), TB_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (scores[i] != expected[i % n])
                fail_msg("%s: row %zu scores %g", tb_impl_name(impl), i, scores[i]);
        assert_int_equal(tb_score(context, floats, ROWS, 2, STRIDE, scores, NULL), TB_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (scores[i] != expected_of_floats[i % n])
                fail_msg("%s: row %zu of floats scores %g", tb_impl_name(impl), i, scores[i]);
        tb_context_free(context);
        tb_scorer_free(scorer);
    }
}

static void test_decimals(void **state) {
    (void)state;
    const double values[] = {0.15, 0.15000000000000008, 0.1, 0.2};
    assert_scores(DECIMAL, values, (const double[]){10, 20, 10, 20},
                  (const double[]){20, 20, 10, 20}, 4);
}

/* float32 cannot tell these seconds apart; what it can say is scored all the same. */
static void test_coded_features(void **state) {
    (void)state;
    const double values[] = {1700000000, 1700000001, 1700000002, 0, 1800000000};
    assert_scores(SECONDS, values, (const double[]){10, 20, 30, 10, 30},
                  (const double[]){10, 10, 10, 10, 30}, 5);
}

/* More documents than are placed together, with gaps between them: floats are placed as well,
 * because a feature is coded. */
static void test_outputs(void **state) {
    (void)state;
    static double rows[ROWS * STRIDE], scores[2 * ROWS + 1];
    static float floats[ROWS * STRIDE];
    for (size_t i = 0; i < ROWS; i++) {
        rows[i * STRIDE] = i % 2 ? 0.15 : 0.2;
        rows[i * STRIDE + 1] = 1700000000 + (double)(i % 3);
        rows[i * STRIDE + 2] = (double)NAN;
    }
    for (size_t i = 0; i < ROWS * STRIDE; i++)
        floats[i] = (float)rows[i];
    for (size_t impl = 0; impl < tb_impl_count(); impl++) {
        struct tb_scorer *scorer = NULL;
        if (!tb_impl_runs_here(impl))
            continue;
        struct tb_context *context = context_of(OUTPUTS, tb_impl_name(impl), &scorer);
        scores[2 * ROWS] = -1;
        assert_int_equal(tb_score_doubles(context, rows, ROWS, 2, STRIDE, scores, NULL), TB_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (scores[2 * i] != 10 * (1 + (double)(i % 3)) || scores[2 * i + 1] != (i % 2 ? 1 : 2))
                fail_msg("%s: row %zu scores %g, %g", tb_impl_name(impl), i, scores[2 * i],
                         scores[2 * i + 1]);
        assert_int_equal(tb_score(context, floats, ROWS, 2, STRIDE, scores, NULL), TB_OK);
        for (size_t i = 0; i < ROWS; i++)
            if (scores[2 * i] != 10 || scores[2 * i + 1] != 2)
                fail_msg("%s: row %zu of floats scores %g, %g", tb_impl_name(impl), i,
                         scores[2 * i], scores[2 * i + 1]);
        assert_true(scores[2 * ROWS] == -1);
        tb_context_free(context);
        tb_scorer_free(scorer);
    }
}

static void test_categories(void **state) {
    (void)state;
    struct tb_model *model = open_text(COLOURS);
    assert_true(tb_model_category(model, 0, "red") == 0);
    assert_true(tb_model_category(model, 0, "blue") == 2);
    assert_true(isnan(tb_model_category(model, 0, "mauve")));
    assert_true(isnan(tb_model_category(model, 1, "red")));
    assert_true(isnan(tb_model_category(model, 7, "red")));
    assert_true(isnan(tb_model_category(model, 0, NULL)));
    assert_true(isnan(tb_model_category(NULL, 0, "red")));
    struct tb_scorer *scorer = NULL;
    struct tb_context *context = context_of(COLOURS, "reference", &scorer);
    const double rows[] = {tb_model_category(model, 0, "red"),   0,
                           tb_model_category(model, 0, "green"), 0,
                           tb_model_category(model, 0, "mauve"), 0};
    double scores[3];
    assert_int_equal(tb_score_doubles(context, rows, 3, 2, 2, scores, NULL), TB_OK);
    assert_true(scores[0] == 10 && scores[1] == 20 && scores[2] == 20);
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
}

static void test_bad_arguments(void **state) {
    (void)state;
    struct tb_scorer *scorer = NULL;
    struct tb_context *context = context_of(DECIMAL, NULL, &scorer);
    struct tb_error error;
    double rows[2] = {0}, score;
    assert_int_equal(tb_score_doubles(NULL, rows, 1, 2, 2, &score, &error), TB_INPUT);
    assert_int_equal(tb_score_doubles(context, NULL, 1, 2, 2, &score, &error), TB_INPUT);
    assert_int_equal(tb_score_doubles(context, rows, 1, 2, 2, NULL, &error), TB_INPUT);
    assert_int_equal(tb_score_doubles(context, rows, 1, 1, 2, &score, &error), TB_INPUT);
    assert_int_equal(tb_score_doubles(context, rows, 1, 2, 1, &score, &error), TB_INPUT);
    assert_int_equal(tb_score_doubles(context, NULL, 0, 2, 2, NULL, &error), TB_OK);
    tb_context_free(context);
    tb_scorer_free(scorer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),      cmocka_unit_test(test_coded_features),
        cmocka_unit_test(test_outputs),       cmocka_unit_test(test_categories),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
