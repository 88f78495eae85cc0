/* Set nodes and doubles: in the builder, and written to and read from treebench's JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cityhash.h"
#include "models/categories.h"
#include "models/rewrite.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

/* x0 in {1, 2, 5} ? 10 : 20; NaN goes with the categories. */
static struct ensemble *categories_1_2_5(void) {
    struct ensemble *e = NULL;
    struct error error = {""};
    const double cuts[] = {0.9999999999999999, 2.9999999999999996, 4.999999999999999,
                           5.999999999999999};
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(b, &(struct inner_node){.cuts = cuts,
                                                       .n_cuts = 4,
                                                       .lowest_right = true,
                                                       .nan_left = true,
                                                       .left = 1,
                                                       .right = 2,
                                                       .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(b, 10, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, 20, ENSEMBLE_NO_COUNT);
    if (ensemble_builder_finish(
            b, &(struct ensemble_shape){.n_features = 2, .compares_doubles = true}, &e, &error))
        fail_msg("%s", error.text);
    return e;
}

static const struct {
    float x;
    double score;
} categories_scores[] = {{-INFINITY, 20}, {-1, 20},   {0, 20},    {0.99F, 20},    {1, 10},
                         {2, 10},         {2.5F, 10}, {3, 20},    {4.9F, 20},     {5, 10},
                         {5.9F, 10},      {6, 20},    {1e9F, 20}, {INFINITY, 20}, {NAN, 10}};

static void assert_categories(const struct ensemble *e) {
    for (size_t i = 0; i < sizeof categories_scores / sizeof *categories_scores; i++) {
        const float x[2] = {categories_scores[i].x, 0};
        double score = score_by_walking(e, x, 0);
        if (score != categories_scores[i].score)
            fail_msg("%g scores %g, not %g", (double)x[0], score, categories_scores[i].score);
    }
}

static void test_goes_left(void **state) {
    (void)state;
    struct ensemble *e = categories_1_2_5();
    assert_categories(e);
    for (size_t i = 0; i < sizeof categories_scores / sizeof *categories_scores; i++) {
        bool left = ensemble_goes_left(e, 0, categories_scores[i].x);
        assert_true(e->value[left ? 0 : 1] == categories_scores[i].score);
    }
    ensemble_free(e);
}

static void test_rewritten(void **state) {
    (void)state;
    struct ensemble *e = categories_1_2_5(), *plain = NULL;
    struct error error;
    e->open_width = true;
    e->best_trees = 1;
    strcpy(e->objective, "regression");
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_OK);
    assert_true(plain->open_width && plain->best_trees == 1);
    assert_string_equal(plain->objective, "regression");
    assert_null(plain->set);
    assert_non_null(plain->threshold_double);
    assert_int_equal(plain->n_features, 2);
    assert_categories(plain);
    ensemble_free(plain);
    ensemble_free(e);
}

/* One cut makes a plain node; no cut is constant for all numbers. */
static void test_few_cuts(void **state) {
    (void)state;
    const double cut[] = {0.5};
    for (uint32_t n_cuts = 0; n_cuts < 2; n_cuts++) {
        for (int lowest_right = 0; lowest_right < 2; lowest_right++) {
            struct ensemble *e = NULL;
            struct error error;
            struct ensemble_builder *b = ensemble_builder_create();
            ensemble_builder_add_tree(b, 0);
            ensemble_builder_add_inner(b, &(struct inner_node){.cuts = cut,
                                                               .n_cuts = n_cuts,
                                                               .lowest_right = lowest_right,
                                                               .nan_left = true,
                                                               .left = 1,
                                                               .right = 2});
            ensemble_builder_add_leaf(b, 1, 0);
            ensemble_builder_add_leaf(b, 2, 0);
            assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, &error),
                             STATUS_OK);
            assert_null(e->set);
            const float low = 0, high = 1, missing = NAN;
            double to_low = lowest_right ? 2 : 1;
            assert_true(score_by_walking(e, &low, 0) == to_low);
            assert_true(score_by_walking(e, &high, 0) == (n_cuts ? 3 - to_low : to_low));
            assert_true(score_by_walking(e, &missing, 0) == 1);
            ensemble_free(e);
        }
    }
}

static void test_cuts_must_increase(void **state) {
    (void)state;
    static const double bad[][2] = {{1, 1}, {2, 1}, {NAN, 1}, {1, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ensemble *e = NULL;
        struct error error;
        struct ensemble_builder *b = ensemble_builder_create();
        ensemble_builder_add_tree(b, 0);
        ensemble_builder_add_inner(
            b, &(struct inner_node){.cuts = bad[i], .n_cuts = 2, .left = 1, .right = 2});
        ensemble_builder_add_leaf(b, 1, 0);
        ensemble_builder_add_leaf(b, 2, 0);
        assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, &error),
                         STATUS_INPUT);
        assert_non_null(strstr(error.text, "tree 0, node 0:"));
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static struct ensemble *through_json(const struct ensemble *e) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(format_named("treebench")->write(e, stream, NULL), STATUS_OK);
    fclose(stream);
    struct ensemble *back = read_good("treebench", text);
    free(text);
    return back;
}

static void test_json(void **state) {
    (void)state;
    struct ensemble *e = categories_1_2_5();
    e->first_is_empty = true;
    e->categories = categories_create(true);
    assert_true(categories_add_word(e->categories, 0, "r\"e\td", 5));
    assert_true(categories_add_word(e->categories, 0, "", 0));
    assert_true(categories_add_number(e->categories, 1, -0.1));
    assert_true(categories_add_hash(e->categories, 2, 605890862));  /* "Moscow" */
    assert_true(categories_add_hash(e->categories, 2, 1121341681)); /* "1" */
    assert_true(categories_add_hashed(e->categories, 3));           /* words that no tree tests */
    e->n_features = 5;
    struct ensemble *back = through_json(e);
    assert_true(same_ensemble(e, back));
    assert_true(back->first_is_empty);
    assert_true(categories_refuse_unknown(back->categories));
    assert_int_equal(categories_find(back->categories, 0, "r\"e\td", 5), 0);
    assert_int_equal(categories_find(back->categories, 0, "", 0), 1);
    assert_int_equal(categories_find(back->categories, 0, "red", 3), CATEGORIES_UNKNOWN);
    assert_int_equal(categories_find(back->categories, 1, "-1e-1", 5), 0);
    assert_int_equal(categories_find(back->categories, 1, "0.1", 3), CATEGORIES_UNKNOWN);
    assert_int_equal(categories_find(back->categories, 2, "1", 1), 1);
    assert_int_equal(categories_find(back->categories, 2, "Moscow", 6), 0);
    assert_int_equal(categories_find(back->categories, 2, "605890862", 9), CATEGORIES_UNKNOWN);
    assert_int_equal(categories_count(back->categories, 3), 0);
    assert_int_equal(categories_find(back->categories, 3, "Moscow", 6), CATEGORIES_UNKNOWN);
    assert_true(categories_are_hashes(back->categories, 3));
    assert_false(categories_has(back->categories, 4));
    /* The spellings of a truth value have different hashes. */
    assert_true(categories_add_hash(e->categories, 3, (uint32_t)cityhash64("True", 4)));
    assert_int_equal(categories_find(e->categories, 3, "True", 4), 0);
    assert_int_equal(categories_find(e->categories, 3, "TRUE", 4), CATEGORIES_UNKNOWN);
    ensemble_free(back);
    ensemble_free(e);
}

#define JSON(more, tree)                                                                           \
    "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[0]," more      \
    "\"trees\":[{\"output\":0,\"feature\":[0],\"threshold\":[1],\"left\":[-1],\"right\":[-2],"     \
    "\"value\":[1,2]" tree "}]}"

static void test_bad_json(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {JSON("", ",\"cuts\":[[1,2],[]]"), "name:1: tree 0: cuts: length is 2, expected 1"},
        {JSON("", ",\"cuts\":[[2,1]]"),
         "name: tree 0, node 0: the cuts of a set must be increasing"},
        {JSON("", ",\"cuts\":[1]"), "name:1: tree 0: cuts: entry 1: expected an array"},
        {JSON("", ",\"cuts\":[[\"x\"]]"),
         "name:1: tree 0: cuts: entry 1: expected a number in range, \"inf\" or \"-inf\""},
        {JSON("\"compares\":\"half\",", ""), "name:1: compares: expected \"double\""},
        {JSON("\"categories\":{\"1\":[]},", ""), "name:1: categories: '1' is not a feature number"},
        {JSON("\"categories\":{\"0\":[1,\"a\"]},", ""),
         "name:1: categories: a list contains both words and numbers"},
        {JSON("\"categories\":{\"0\":[[]]},", ""),
         "name:1: categories: a list contains something other than words or numbers"},
        {JSON("\"categories\":{\"0\":[1],\"0\":[2]},", ""),
         "name:1: categories: feature 0: expected a single array"},
        {JSON("\"hashed_categories\":{\"0\":[-1]},", ""),
         "name:1: hashed_categories: expected integers from 0 to 4294967295"},
        {JSON("\"unknown_category\":\"zero\",", ""), "name:1: unknown_category: expected"},
    };
    assert_refused("treebench", bad, sizeof bad / sizeof *bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_left), cmocka_unit_test(test_rewritten),
        cmocka_unit_test(test_few_cuts),  cmocka_unit_test(test_cuts_must_increase),
        cmocka_unit_test(test_json),      cmocka_unit_test(test_bad_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
