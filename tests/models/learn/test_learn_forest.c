/* CART and forests: splits computed by hand, and properties of any forest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/learn/learner.h"
#include "tests/models/learn/learning.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

#define CART(task_)                                                                                \
    { .kind = FOREST_CART, .task = (task_), .n_trees = 1 }
#define CART_SHARES                                                                                \
    { .kind = FOREST_CART, .sum_shares = true, .n_trees = 1 }

static struct ensemble *learn(const struct learner_data *data,
                              const struct forest_options *options) {
    struct ensemble *e = NULL;
    struct error error;
    if (learn_forest(data, options, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static struct learner_data table(const float *values, const float *labels, size_t n_rows,
                                 uint32_t n_features) {
    return (struct learner_data){.name = "name",
                                 .n_rows = n_rows,
                                 .n_features = n_features,
                                 .stride = n_features,
                                 .values = values,
                                 .labels = labels};
}

/* --- splits by hand --------------------------------------------------------------------------- */

static void test_two_classes(void **state) {
    (void)state;
    const float x[] = {4, 1, 3, 2}, y[] = {1, 0, 1, 0};
    struct learner_data data = table(x, y, 4, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART_SHARES);
    assert_int_equal(e->n_outputs, 1);
    assert_int_equal(e->n_nodes, 1);
    assert_true(e->threshold[0] == 2.5f);
    assert_true(e->value[0] == -1 && e->value[1] == 1);
    assert_int_equal(e->node_count[0], 4);
    assert_int_equal(e->leaf_count[0], 2);
    assert_int_equal(e->leaf_count[1], 2);
    ensemble_free(e);
}

static void test_signs(void **state) {
    (void)state;
    const float x[] = {1, 2, 3}, y[] = {1, -1, -1};
    struct learner_data data = table(x, y, 3, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART_SHARES);
    assert_int_equal(e->n_outputs, 1);
    assert_true(e->threshold[0] == 1.5f);
    assert_true(e->value[0] == 1 && e->value[1] == -1);
    ensemble_free(e);
}

/* At best, feature 0 separates its two lowest values from four of both classes. Feature 1 separates
 * all. */
static void test_best_feature_by_gini(void **state) {
    (void)state;
    const float x[] = {1, 5, 2, 6, 3, 1, 4, 2, 5, 3, 3, 7}, y[] = {0, 0, 1, 1, 1, 0};
    struct learner_data data = table(x, y, 6, 2);
    struct forest_options options = CART_SHARES;
    options.max_depth = 1;
    struct ensemble *e = learn(&data, &options);
    assert_int_equal(e->n_nodes, 1);
    assert_int_equal(e->feature[0], 1);
    assert_true(e->threshold[0] == 4);
    assert_true(e->value[0] == 1 && e->value[1] == -1);
    ensemble_free(e);
}

/* The squares that remain after splits at 1.5, 2.5, 5.5 and 9: 30, 2, 36.7 and 48.5. */
static void test_regression(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 8, 10}, y[] = {0, 2, 7, 7, 7};
    struct learner_data data = table(x, y, 5, 1);
    struct forest_options options = CART(FOREST_REGRESS);
    options.max_depth = 1;
    struct ensemble *e = learn(&data, &options);
    assert_int_equal(e->n_nodes, 1);
    assert_true(e->threshold[0] == 2.5f);
    assert_true(e->value[0] == 1 && e->value[1] == 7);
    ensemble_free(e);
    options.max_depth = 0;
    e = learn(&data, &options);
    assert_int_equal(e->n_leaves, 3);
    for (size_t row = 0; row < 5; row++)
        assert_true(score_by_walking(e, &x[row], 0) == (double)y[row]);
    ensemble_free(e);
}

/* Classes 0, 2 and 3. In the tree of each class, parts that do not affect it are one leaf. */
static void test_more_classes(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 0, 2, 2, 3, 3};
    static const uint32_t leaves[] = {2, 1, 3, 3};
    struct learner_data data = table(x, y, 6, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART_SHARES);
    assert_int_equal(e->n_outputs, 4);
    assert_int_equal(e->n_trees, 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(e->tree_output[k], k);
        assert_int_equal(ensemble_tree_leaves(e, k), leaves[k]);
        for (size_t row = 0; row < 6; row++)
            assert_true(score_by_walking(e, &x[row], k) == (y[row] == (float)k));
    }
    ensemble_free(e);
}

/* A tree remains one tree, whatever the number of classes. */
static void test_votes(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 0, 2, 2, 3, 3};
    struct learner_data data = table(x, y, 6, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART(FOREST_CLASSIFY));
    assert_true(e->votes);
    assert_int_equal(e->n_outputs, 4);
    assert_int_equal(e->n_trees, 1);
    assert_int_equal(e->n_leaves, 3);
    assert_int_equal(e->node_count[0], 6);
    for (uint32_t k = 0; k < 4; k++)
        for (size_t row = 0; row < 6; row++)
            assert_true(score_by_walking(e, &x[row], k) == (y[row] == (float)k));
    ensemble_free(e);
}

/* A leaf in which classes 1 and 2 have as many documents votes for class 1. */
static void test_first_of_equal_classes(void **state) {
    (void)state;
    const float x[] = {7, 7, 7, 7, 7}, y[] = {2, 1, 1, 2, 0};
    struct learner_data data = table(x, y, 5, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART(FOREST_CLASSIFY));
    assert_int_equal(e->n_leaves, 1);
    assert_true(e->value[0] == 1);
    ensemble_free(e);
}

static void test_votes_of_signs(void **state) {
    (void)state;
    const float x[] = {1, 2, 3}, y[] = {1, -1, -1};
    struct learner_data data = table(x, y, 3, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART(FOREST_CLASSIFY));
    assert_int_equal(e->n_outputs, 2);
    assert_true(e->value[0] == 1 && e->value[1] == 0);
    ensemble_free(e);
}

/* 0 and -0 are the same value, and equal rows cannot be separated. */
static void test_equal_rows(void **state) {
    (void)state;
    const float x[] = {0.0f, -0.0f, 0.0f, -0.0f}, y[] = {0, 1, 1, 1};
    struct learner_data data = table(x, y, 4, 1);
    for (int kind = FOREST_CART; kind <= FOREST_EXTRA; kind += FOREST_EXTRA - FOREST_CART) {
        struct forest_options options = {
            .kind = (enum forest_kind)kind, .sum_shares = true, .n_trees = 1};
        struct ensemble *e = learn(&data, &options);
        assert_int_equal(e->n_nodes, 0);
        assert_true(e->value[0] == 0.5);
        assert_int_equal(e->leaf_count[0], 4);
        ensemble_free(e);
    }
}

/* sqrt(4) features are tried, and more until one is not constant. */
static void test_constant_features(void **state) {
    (void)state;
    const float x[] = {7, 7, 1, 7, 7, 7, 2, 7, 7, 7, 3, 7}, y[] = {0, 1, 0};
    struct learner_data data = table(x, y, 3, 4);
    struct forest_options options = {.kind = FOREST_EXTRA, .n_trees = 20, .seed = 1};
    struct ensemble *e = learn(&data, &options);
    assert_int_equal(e->n_leaves, 3 * 20);
    ensemble_free(e);
}

/* More rows than insertion sort handles, of both signs. */
static void test_many_rows(void **state) {
    (void)state;
    enum { N = 1000 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)((i * 377) % N - 300) / 4;
        y[i] = x[i] > 50;
    }
    struct learner_data data = table(x, y, N, 1);
    struct ensemble *e = learn(&data, &(struct forest_options)CART(FOREST_CLASSIFY));
    assert_int_equal(e->n_nodes, 1);
    assert_true(e->threshold[0] == 50.125f);
    ensemble_free(e);
}

/* Between adjacent floats, the threshold is rounded down even if the even float is above. Between
 * the largest values, it is not infinite. */
static void test_extreme_values(void **state) {
    (void)state;
    const float x[] = {0x1.000002p0f, 0x1.000004p0f, 3e38f, nextafterf(3e38f, INFINITY)};
    const float y[] = {0, 1, 0, 1};
    struct learner_data data = table(x, y, 4, 1);
    for (int kind = FOREST_CART; kind <= FOREST_EXTRA; kind += FOREST_EXTRA - FOREST_CART) {
        struct forest_options options = {
            .kind = (enum forest_kind)kind, .sum_shares = true, .n_trees = 1};
        struct ensemble *e = learn(&data, &options);
        assert_int_equal(e->n_leaves, 4);
        for (size_t row = 0; row < 4; row++)
            assert_true(score_by_walking(e, &x[row], 0) == 2 * (double)y[row] - 1);
        ensemble_free(e);
    }
}

/* --- what holds for any forest ---------------------------------------------------------------- */

static struct made_up made_up;

static void test_threads_and_seeds(void **state) {
    (void)state;
    make_up(&made_up, 1);
    for (int kind = FOREST_RANDOM; kind <= FOREST_EXTRA; kind++)
        for (int task = FOREST_CLASSIFY; task <= FOREST_REGRESS; task++) {
            struct forest_options options = {.kind = (enum forest_kind)kind,
                                             .task = (enum forest_task)task,
                                             .n_trees = 7,
                                             .seed = 5,
                                             .n_threads = 1};
            struct ensemble *one = learn(&made_up.data, &options);
            options.n_threads = 3;
            struct ensemble *three = learn(&made_up.data, &options);
            assert_true(same_ensemble(one, three));
            options.seed = 6;
            struct ensemble *other = learn(&made_up.data, &options);
            assert_false(same_ensemble(one, other));
            ensemble_free(one);
            ensemble_free(three);
            ensemble_free(other);
        }
}

static void test_cart_draws_nothing(void **state) {
    (void)state;
    make_up(&made_up, 2);
    struct forest_options options = CART(FOREST_CLASSIFY);
    struct ensemble *one = learn(&made_up.data, &options);
    options.seed = 9;
    struct ensemble *other = learn(&made_up.data, &options);
    assert_true(same_ensemble(one, other));
    ensemble_free(one);
    ensemble_free(other);
}

/* A tree without limits predicts every training document correctly. */
static void test_unlimited_depth_fits(void **state) {
    (void)state;
    make_up(&made_up, 3);
    static const enum forest_kind kinds[] = {FOREST_CART, FOREST_EXTRA};
    for (size_t i = 0; i < 2; i++) {
        struct forest_options options = {
            .kind = kinds[i], .task = FOREST_REGRESS, .n_trees = 1, .seed = 1};
        struct ensemble *e = learn(&made_up.data, &options);
        for (size_t row = 0; row < MADE_UP_ROWS; row++) {
            const float *x = &made_up.values[row * MADE_UP_FEATURES];
            assert_true(score_by_walking(e, x, 0) == (double)made_up.labels[row]);
        }
        ensemble_free(e);
    }
}

static uint64_t count_of(const struct ensemble *e, uint32_t tree, int32_t child) {
    return child >= 0 ? e->node_count[e->tree_node[tree] + (uint32_t)child]
                      : e->leaf_count[e->tree_leaf[tree] + (uint32_t)~child];
}

static void test_counts_and_depth(void **state) {
    (void)state;
    make_up(&made_up, 4);
    for (int kind = FOREST_RANDOM; kind <= FOREST_EXTRA; kind++) {
        struct forest_options options = {
            .kind = (enum forest_kind)kind, .n_trees = 5, .max_depth = 4, .seed = 1};
        struct ensemble *e = learn(&made_up.data, &options);
        assert_non_null(e->node_count);
        for (uint32_t t = 0; t < e->n_trees; t++) {
            assert_true(e->tree_depth[t] <= 4);
            assert_int_equal(count_of(e, t, ensemble_tree_nodes(e, t) ? 0 : ~0), MADE_UP_ROWS);
            for (size_t node = e->tree_node[t]; node < e->tree_node[t + 1]; node++)
                assert_int_equal(e->node_count[node],
                                 count_of(e, t, e->left[node]) + count_of(e, t, e->right[node]));
        }
        ensemble_free(e);
    }
}

/* Predicts labels of other documents from the same function, far better than their mean does. */
static void test_generalises(void **state) {
    (void)state;
    static struct made_up others;
    make_up(&made_up, 5);
    make_up(&others, 6);
    double mean = 0, variance = 0;
    for (size_t row = 0; row < MADE_UP_ROWS; row++)
        mean += (double)others.labels[row] / MADE_UP_ROWS;
    for (size_t row = 0; row < MADE_UP_ROWS; row++)
        variance += pow((double)others.labels[row] - mean, 2);
    for (int kind = FOREST_RANDOM; kind <= FOREST_EXTRA; kind++) {
        struct forest_options options = {
            .kind = (enum forest_kind)kind, .task = FOREST_REGRESS, .n_trees = 30, .seed = 1};
        struct ensemble *e = learn(&made_up.data, &options);
        double left_over = 0;
        for (size_t row = 0; row < MADE_UP_ROWS; row++) {
            const float *x = &others.values[row * MADE_UP_FEATURES];
            left_over += pow(score_by_walking(e, x, 0) - (double)others.labels[row], 2);
        }
        assert_true(left_over < 0.4 * variance);
        ensemble_free(e);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refuse(const struct learner_data *data, const struct forest_options *options,
                   const char *words) {
    struct ensemble *e = NULL;
    struct error error;
    assert_error(learn_forest(data, options, &e, &error), &error, words);
    assert_null(e);
}

static void test_refusals(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4}, y[] = {0, 1};
    const float nan_x[] = {1, 2, 3, NAN}, half_y[] = {0, 0.5f}, far_y[] = {0, 1000};
    const float mixed_y[] = {-1, 0}, nan_y[] = {NAN, 0};
    struct forest_options options = CART(FOREST_CLASSIFY);
    struct learner_data data = table(x, NULL, 2, 2);
    refuse(&data, &options, "name: the documents have no labels, which learning needs");
    data = table(x, y, 0, 2);
    refuse(&data, &options, "name: there are no documents or no features to learn from");
    data = table(nan_x, y, 2, 2);
    refuse(&data, &options, "name: document 1, feature 1 (both counted from 0): the value is nan");
    data = table(x, half_y, 2, 2);
    refuse(&data, &options, "name: document 1 (counted from 0): label 0.5 is not a class");
    data = table(x, far_y, 2, 2);
    refuse(&data, &options, "name: document 1 (counted from 0): label 1000 is not a class");
    data = table(x, mixed_y, 2, 2);
    refuse(&data, &options, "name: document 1 (counted from 0): label 0 is not a class");
    options.task = FOREST_REGRESS;
    data = table(x, nan_y, 2, 2);
    refuse(&data, &options, "name: document 0 (counted from 0): the label is nan");
    data = table(x, y, 2, 2);
    options.n_trees = 2;
    refuse(&data, &options, "CART grows a single tree, not 2");
    options.n_trees = 0;
    refuse(&data, &options, "the number of trees is 0, expected 1 to 10000000");
    options = (struct forest_options){
        .kind = FOREST_RANDOM, .n_trees = 1, .max_depth = ENSEMBLE_MAX_DEPTH + 1};
    refuse(&data, &options, "a maximum depth of 4097 exceeds the limit of 4096");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_best_feature_by_gini),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_more_classes),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_first_of_equal_classes),
        cmocka_unit_test(test_votes_of_signs),
        cmocka_unit_test(test_equal_rows),
        cmocka_unit_test(test_constant_features),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_threads_and_seeds),
        cmocka_unit_test(test_cart_draws_nothing),
        cmocka_unit_test(test_unlimited_depth_fits),
        cmocka_unit_test(test_counts_and_depth),
        cmocka_unit_test(test_generalises),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
