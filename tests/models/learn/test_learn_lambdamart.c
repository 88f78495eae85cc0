/* LambdaMART through XGBoost: the shape of its trees, and when it stops. */
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

#include "models/learn/learner.h"
#include "models/xgboost/xgboost_library.h"
#include "tests/models/learn/learning.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

static struct made_up train, validation;

static const struct lambdamart_options few_trees = {.n_trees = 40,
                                                    .max_leaves = 4,
                                                    .learning_rate = 0.05,
                                                    .share = 0.3,
                                                    .n_pairs = 1,
                                                    .patience = 5,
                                                    .seed = 1,
                                                    .n_threads = 1};

static struct lambdamart_result learn(const struct learner_data *check,
                                      const struct lambdamart_options *options) {
    struct lambdamart_result result;
    struct error error;
    if (learn_lambdamart(&train.data, check, options, &result, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return result;
}

static void test_without_validation(void **state) {
    (void)state;
    make_up(&train, 1);
    struct lambdamart_result result = learn(NULL, &few_trees);
    const struct ensemble *e = result.ensemble;
    assert_int_equal(result.n_grown, 40);
    assert_true(isnan(result.validation_ndcg));
    assert_int_equal(e->n_trees, 40);
    assert_int_equal(e->n_features, MADE_UP_FEATURES);
    assert_true(e->base[0] == 0);
    uint32_t most_leaves = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        most_leaves = (uint32_t)fmax(most_leaves, ensemble_tree_leaves(e, t));
    assert_int_equal(most_leaves, 4);
    ensemble_free(result.ensemble);
}

/* With XGBoost's defaults, most splits would be rejected: 4 leaves on average. */
static void test_few_documents_do_not_stop_trees(void **state) {
    (void)state;
    make_up(&train, 1);
    struct lambdamart_options options = few_trees;
    options.max_leaves = 20;
    struct lambdamart_result result = learn(NULL, &options);
    assert_true(result.ensemble->n_leaves > 8 * (size_t)result.ensemble->n_trees);
    ensemble_free(result.ensemble);
}

/* Stops when the patience is exhausted, and returns the trees up to the best one. */
static void test_stops_early(void **state) {
    (void)state;
    make_up(&train, 1);
    make_up(&validation, 2);
    struct lambdamart_options options = few_trees;
    options.n_trees = 1000;
    struct lambdamart_result result = learn(&validation.data, &options);
    assert_true(result.n_grown < 1000);
    assert_int_equal(result.ensemble->n_trees, result.n_grown - options.patience);
    assert_true(result.validation_ndcg > 0.8 && result.validation_ndcg <= 1);
    options.n_trees = result.ensemble->n_trees;
    struct lambdamart_result again = learn(NULL, &options);
    assert_true(same_ensemble(result.ensemble, again.ensemble));
    ensemble_free(result.ensemble);
    ensemble_free(again.ensemble);
}

/* Of trees that are no better than those before, none is kept. */
static void test_equal_evaluations(void **state) {
    (void)state;
    make_up(&train, 1);
    make_up(&validation, 2);
    memset(validation.labels, 0, sizeof validation.labels);
    struct lambdamart_result result = learn(&validation.data, &few_trees);
    assert_int_equal(result.ensemble->n_trees, 1);
    assert_int_equal(result.n_grown, 1 + few_trees.patience);
    ensemble_free(result.ensemble);
}

static void test_seeds(void **state) {
    (void)state;
    make_up(&train, 1);
    struct lambdamart_options options = few_trees;
    struct lambdamart_result one = learn(NULL, &options), same = learn(NULL, &options);
    options.seed = 2;
    struct lambdamart_result other = learn(NULL, &options);
    assert_true(same_ensemble(one.ensemble, same.ensemble));
    assert_false(same_ensemble(one.ensemble, other.ensemble));
    ensemble_free(one.ensemble);
    ensemble_free(same.ensemble);
    ensemble_free(other.ensemble);
}

/* Scores order pairs of other documents of the same query with different labels. */
static void test_ranks(void **state) {
    (void)state;
    make_up(&train, 1);
    make_up(&validation, 2);
    struct lambdamart_result result = learn(NULL, &few_trees);
    double scores[MADE_UP_ROWS];
    for (size_t row = 0; row < MADE_UP_ROWS; row++)
        scores[row] =
            score_by_walking(result.ensemble, &validation.values[row * MADE_UP_FEATURES], 0);
    size_t pairs = 0, ordered = 0;
    for (size_t a = 0; a < MADE_UP_ROWS; a++)
        for (size_t b = a / MADE_UP_QUERY * MADE_UP_QUERY; b < a; b++) {
            float difference = validation.labels[a] - validation.labels[b];
            pairs += difference != 0;
            ordered += difference * (float)(scores[a] - scores[b]) > 0;
        }
    assert_true((double)ordered > 0.7 * (double)pairs);
    ensemble_free(result.ensemble);
}

/* With all documents and features, trees are the same after an interruption. Fewer trees than were
 * kept are the first ones. */
static void test_goes_on_from_kept_trees(void **state) {
    (void)state;
    char keep[] = "/tmp/treebench-test-XXXXXX";
    int descriptor = mkstemp(keep);
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(keep);
    make_up(&train, 1);
    struct lambdamart_options options = few_trees;
    options.share = 1;
    struct lambdamart_result whole = learn(NULL, &options);
    options.keep = keep;
    options.n_trees = 15;
    struct lambdamart_result begun = learn(NULL, &options);
    assert_int_equal(begun.ensemble->n_trees, 15);
    options.n_trees = 40;
    struct lambdamart_result rest = learn(NULL, &options);
    assert_true(same_ensemble(whole.ensemble, rest.ensemble));
    options.n_trees = 15;
    struct lambdamart_result again = learn(NULL, &options);
    assert_true(same_ensemble(begun.ensemble, again.ensemble));
    ensemble_free(whole.ensemble);
    ensemble_free(begun.ensemble);
    ensemble_free(rest.ensemble);
    ensemble_free(again.ensemble);
    struct lambdamart_result other;
    struct error error;
    options.max_leaves = 5;
    assert_int_equal(learn_lambdamart(&train.data, NULL, &options, &other, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "4 leaves, rate 0.05, share 1, 1 pairs, seed 1, not of "));
    FILE *file = fopen(keep, "w");
    fputs("no trees", file);
    fclose(file);
    assert_int_equal(learn_lambdamart(&train.data, NULL, &options, &other, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "XGBoost cannot read the kept trees"));
    unlink(keep);
}

/* A larger rate makes larger leaves, and a larger share other trees. */
static void test_rate_and_share(void **state) {
    (void)state;
    make_up(&train, 1);
    struct lambdamart_options options = few_trees;
    options.n_trees = 1;
    options.share = 1;
    struct lambdamart_result slow = learn(NULL, &options);
    options.learning_rate = 0.1;
    struct lambdamart_result fast = learn(NULL, &options);
    for (size_t i = 0; i < slow.ensemble->n_leaves; i++)
        assert_true(fabs(fast.ensemble->value[i] - 2 * slow.ensemble->value[i]) <=
                    1e-6 * fabs(fast.ensemble->value[i]));
    options.share = 0.3;
    struct lambdamart_result part = learn(NULL, &options);
    assert_false(same_ensemble(fast.ensemble, part.ensemble));
    ensemble_free(slow.ensemble);
    ensemble_free(fast.ensemble);
    ensemble_free(part.ensemble);
}

static double leaf_value(const struct ensemble *e, uint32_t tree, const float *x) {
    int32_t node = 0;
    while (node >= 0) {
        size_t i = e->tree_node[tree] + (size_t)node;
        node = ensemble_goes_left(e, i, x[e->feature[i]]) ? e->left[i] : e->right[i];
    }
    return e->value[e->tree_leaf[tree] + (size_t)~node];
}

/* Gradients of few pairs are noisy: successive trees of them agree less about a document than those
 * of many pairs. Each tree draws other pairs. A tiny rate leaves the scores almost as the first
 * tree left them, which ranks the documents. */
static double disagreement(const struct lambdamart_options *options) {
    struct lambdamart_result result = learn(NULL, options);
    const struct ensemble *e = result.ensemble;
    double apart = 0, all = 0;
    for (uint32_t t = 2; t < e->n_trees; t++)
        for (size_t i = 0; i < train.data.n_rows; i++) {
            const float *x = &train.values[i * train.data.stride];
            double one = leaf_value(e, t - 1, x), other = leaf_value(e, t, x);
            apart += (one - other) * (one - other);
            all += one * one + other * other;
        }
    ensemble_free(result.ensemble);
    return apart / all;
}

/* XGBoost 2 draws pairs otherwise. */
static bool draws_otherwise(void) {
    void (*version)(int *major, int *minor, int *patch) = NULL;
    const struct loader_symbol wanted[] = {{"XGBoostVersion", (void **)&version}, {0}};
    int major = 0, minor, patch;
    if (!loader_load(&xgboost_library, wanted, NULL, NULL))
        version(&major, &minor, &patch);
    return major > 1;
}

static void test_pairs(void **state) {
    (void)state;
    if (draws_otherwise())
        skip();
    make_up(&train, 1);
    struct lambdamart_options options = few_trees;
    options.share = 1;
    options.learning_rate = 1e-6;
    double of_one = disagreement(&options);
    options.n_pairs = 50;
    assert_true(disagreement(&options) < of_one / 4);
}

/* The peaks of docs/training.md, less the documents of 4 bytes a value and a row's padding. */
static void test_memory(void **state) {
    (void)state;
    static const struct {
        size_t rows, validation;
        uint32_t features, leaves;
        uint64_t measured;
    } peaks[] = {{100000, 0, 136, 64, 264000000},
                 {300000, 0, 136, 64, 527000000},
                 {100000, 0, 136, 512, 616000000},
                 {50000, 0, 700, 64, 793000000},
                 {100000, 300000, 136, 64, 594000000}};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        const struct learner_data rows = {.n_rows = peaks[i].rows, .n_features = peaks[i].features};
        const struct learner_data others = {.n_rows = peaks[i].validation,
                                            .n_features = peaks[i].features};
        const struct lambdamart_options options = {.max_leaves = peaks[i].leaves};
        uint64_t bytes = lambdamart_memory(&rows, others.n_rows ? &others : NULL, &options);
        assert_in_range(bytes, peaks[i].measured * 99 / 100, peaks[i].measured * 5 / 4 + 30000000);
    }
    const struct learner_data few = {.n_rows = 400, .n_features = 6};
    const struct lambdamart_options many = {.max_leaves = 65536}, all = {.max_leaves = 400};
    assert_int_equal(lambdamart_memory(&few, NULL, &many), lambdamart_memory(&few, NULL, &all));
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refuse(const struct learner_data *check, const struct lambdamart_options *options,
                   const char *words) {
    struct lambdamart_result result;
    struct error error;
    assert_error(learn_lambdamart(&train.data, check, options, &result, &error), &error, words);
    assert_null(result.ensemble);
}

static void test_refusals(void **state) {
    (void)state;
    make_up(&train, 1);
    make_up(&validation, 2);
    validation.data.name = "other";
    validation.data.n_features--;
    refuse(&validation.data, &few_trees,
           "other: the number of features is 5, expected 6 as in name");
    make_up(&validation, 2);
    validation.data.name = "other";
    validation.labels[7] = 0.5f;
    refuse(&validation.data, &few_trees,
           "other: document 7 (counted from 0): label 0.5 is not supported");
    train.labels[3] = 32;
    refuse(NULL, &few_trees, "name: document 3 (counted from 0): label 32 is not supported");
    train.labels[3] = 31;
    train.values[MADE_UP_FEATURES + 2] = -INFINITY;
    refuse(NULL, &few_trees,
           "name: document 1, feature 2 (both counted from 0): the value is infinite");
    train.data.labels = NULL;
    refuse(NULL, &few_trees, "name: the documents have no labels, which LambdaMART needs");
    train.data.n_queries = 0;
    refuse(NULL, &few_trees, "name: the documents have no queries, which LambdaMART needs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_validation),
        cmocka_unit_test(test_few_documents_do_not_stop_trees),
        cmocka_unit_test(test_stops_early),
        cmocka_unit_test(test_equal_evaluations),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_goes_on_from_kept_trees),
        cmocka_unit_test(test_rate_and_share),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
