/* XGBoost's JSON and UBJSON: lists of categories, and leaves with several values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/categories.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"
#include "tests/models/xgboost/xgboost_text.h"

/* Reads both formats, which must agree. The caller frees the ensemble. */
static struct ensemble *read_both(const char *json) {
    struct ensemble *e = read_good("xgboost", json), *same = NULL;
    struct bytes bytes = to_ubjson(json);
    struct error error = {""};
    if (read_copy("xgboost-ubjson", bytes.data, bytes.size, &same, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_true(same_ensemble(e, same));
    ensemble_free(same);
    free(bytes.data);
    return e;
}

static void assert_bad(const char *model, const char *expected) {
    assert_refused("xgboost", &(struct bad_text){model, expected}, 1);
}

/* --- categories ------------------------------------------------------------------------------- */

#define THREE_FEATURES XGB_MODEL("reg:squarederror", "0", "0", "3", "1", "0", XGB_LEAF("1"))
#define NONE "{\"offsets\": [], \"values\": []}"

/* The caller frees it. */
static char *with_cats(const char *enc) {
    char cats[1024];
    snprintf(cats, sizeof cats,
             "\"cats\": {\"enc\": [%s], \"feature_segments\": [0, 1], \"sorted_idx\": [0]}, "
             "\"gbtree_model_param\"",
             enc);
    return xgb_replaced(THREE_FEATURES, "\"gbtree_model_param\"", cats);
}

static void assert_word(const struct ensemble *e, uint32_t feature, uint32_t code,
                        const char *expected) {
    size_t length;
    const char *word = categories_word(e->categories, feature, code, &length);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(word, expected, length);
}

static void test_words_and_numbers(void **state) {
    (void)state;
    char *text = with_cats("{\"offsets\": [0, 2, 2, 4], \"values\": [97, 98, -61, -92]}, " NONE
                           ", {\"type\": 15, \"values\": [-3, 12, 9007199254740992]}");
    struct ensemble *e = read_both(text);
    assert_non_null(e->categories);
    assert_true(categories_refuse_unknown(e->categories));
    assert_int_equal(categories_count(e->categories, 0), 3);
    assert_false(categories_are_numbers(e->categories, 0));
    assert_word(e, 0, 0, "ab");
    assert_word(e, 0, 1, "");
    assert_word(e, 0, 2, "\xc3\xa4");
    assert_int_equal(categories_count(e->categories, 1), 0);
    assert_int_equal(categories_count(e->categories, 2), 3);
    assert_true(categories_are_numbers(e->categories, 2));
    assert_true(categories_number(e->categories, 2, 0) == -3);
    assert_true(categories_number(e->categories, 2, 2) == 0x1p53);
    ensemble_free(e);
    free(text);
}

/* XGBoost's UBJSON stores the bits of large unsigned numbers in signed ones. */
static void test_unsigned_numbers(void **state) {
    (void)state;
    char *text = with_cats("{\"type\": 12, \"values\": [1, -1]}, {\"type\": 14, \"values\": [-2]}, "
                           "{\"type\": 11, \"values\": [-1]}");
    struct ensemble *e = read_both(text);
    assert_true(categories_number(e->categories, 0, 1) == 65535);
    assert_true(categories_number(e->categories, 1, 0) == 4294967294.0);
    assert_true(categories_number(e->categories, 2, 0) == -1);
    ensemble_free(e);
    free(text);
}

static void test_no_categories(void **state) {
    (void)state;
    static const char *const lists[] = {"", NONE ", " NONE ", " NONE,
                                        "{\"offsets\": [0], \"values\": []}"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char *text = with_cats(lists[i]);
        struct ensemble *e = read_both(text);
        assert_null(e->categories);
        ensemble_free(e);
        free(text);
    }
}

static void test_bad_categories(void **state) {
    (void)state;
    static const struct {
        const char *enc, *expected;
    } cases[] = {
        {"{\"type\": 13, \"values\": [1]}", "name: cats: the number of columns is 1, expected 3"},
        {"1", "name:2: enc: expected an array of objects"},
        {"{\"values\": [1]}",
         "name:2: cats: column 0: values: expected a place after offsets or type"},
        {NONE ", {\"type\": 8, \"values\": [1]}",
         "name:2: cats: column 1: type: expected an integer from 9 to 16"},
        {"{\"type\": 17, \"values\": [1]}",
         "name:2: cats: column 0: type: expected an integer from 9 to 16"},
        {"{\"type\": 13, \"values\": [1.5]}", "name:2: cats: column 0: values: expected integers"},
        {"{\"type\": 15, \"values\": [9007199254740993]}",
         "name:2: cats: column 0: values: expected numbers of at most 9007199254740992"},
        {"{\"type\": 16, \"values\": [-1]}", "name:2: cats: column 0: values: expected numbers of"},
        {"{\"offsets\": [0, 2], \"values\": [97]}", "name:2: cats: column 0: offsets: expected"},
        {"{\"offsets\": [0, 1, 0], \"values\": [97]}", "name:2: cats: column 0: offsets: expected"},
        {"{\"offsets\": [0, 1], \"values\": [256]}", "name:2: cats: column 0: values: expected by"},
        {"{\"offsets\": [0, 1], \"values\": [97], \"type\": 13}",
         "name:2: cats: column 0: type: expected no type in a column with offsets"},
        {"{\"offsets\": [0, 1], \"values\": [97], \"hue\": 13}",
         "name:2: cats: column 0: hue: unknown"},
        {"{\"offsets\": [0, 1]}", "name:2: cats: column 0: values: missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_cats(cases[i].enc);
        assert_bad(text, cases[i].expected);
        free(text);
    }
}

/* --- leaves of several values ----------------------------------------------------------------- */

/* x0 < 1: (1, 2), else (3, 4); then a tree with one value for the second output. */
#define VECTORS(more, right, size)                                                                 \
    XGB_MODEL("reg:squarederror", "[5E-1,0]", "2", "1", "2", "0, 1",                               \
              "{" more "\"left_children\": [1,-1,-1], \"right_children\": [" right                 \
              "], \"split_indices\": [0,0,0], \"split_conditions\": [1,0,0], "                     \
              "\"default_left\": [0,0,0], \"tree_param\": {\"num_nodes\": \"3\", "                 \
              "\"size_leaf_vector\": \"" size "\"}}," XGB_LEAF("10"))
#define BY_LEAF(right) VECTORS("\"leaf_weights\": [3,4,1,2], ", right, "2")
#define BY_NODE VECTORS("\"base_weights\": [9,9,1,2,3,4], ", "2,-1,-1", "2")

static void check_vectors(struct ensemble *e) {
    const float low = 0, high = 1, missing = NAN;
    assert_int_equal(e->n_trees, 3);
    assert_int_equal(e->n_outputs, 2);
    assert_true(score_by_walking(e, &low, 0) == 1.5);
    assert_true(score_by_walking(e, &low, 1) == 12);
    assert_true(score_by_walking(e, &high, 0) == 3.5);
    assert_true(score_by_walking(e, &missing, 1) == 14);
    ensemble_free(e);
}

static void test_vectors(void **state) {
    (void)state;
    check_vectors(read_both(BY_LEAF("2,1,0"))); /* since 3.2 */
    check_vectors(read_both(BY_NODE));          /* before */
}

/* A tree of the file becomes several trees of the ensemble. */
static void test_vectors_weights_and_iterations(void **state) {
    (void)state;
    char *weighted = xgb_replaced(BY_NODE, "\"tree_info\"",
                                  "\"weight_drop\": [2, 0.5], "
                                  "\"iteration_indptr\": [0, 1, 2], "
                                  "\"tree_info\"");
    char *stopped = xgb_replaced(weighted, "\"a\": \"\\u00e4\"", "\"best_iteration\": \"0\"");
    struct ensemble *e = read_both(stopped);
    const float low = 0;
    assert_int_equal(e->best_trees, 2);
    assert_true(score_by_walking(e, &low, 0) == 2.5);
    assert_true(score_by_walking(e, &low, 1) == 4 + 5);
    ensemble_free(e);
    free(stopped);
    free(weighted);
}

static void test_bad_vectors(void **state) {
    (void)state;
    assert_bad(BY_LEAF("2,1,1"),
               "name: tree 0, node 2: the leaf shares its values with another leaf");
    assert_bad(BY_LEAF("2,1,2"), "name: tree 0, node 2: the leaf has no values");
    assert_bad(BY_LEAF("2,1,-1"), "name: tree 0, node 2: the leaf has no values");
    assert_bad(VECTORS("", "2,-1,-1", "2"), "name:3: tree 0: leaf_weights: missing");
    assert_bad(VECTORS("\"base_weights\": [9,9,1,2,3], ", "2,-1,-1", "2"),
               "name: tree 0, node 2: the leaf has no values");
    assert_bad(VECTORS("\"base_weights\": [1,1,1,2,3,1e99], ", "2,-1,-1", "2"),
               "name: tree 0, node 2: the values of a leaf must be finite");
    assert_bad(VECTORS("\"base_weights\": [1,1,1,1,1,1,1,1,1], ", "2,-1,-1", "3"),
               "name: leaves have 3 values, but the number of outputs is 2");
    assert_bad(VECTORS("\"base_weights\": [1,1,\"x\"], ", "2,-1,-1", "2"),
               "name:3: tree 0: base_weights: entry 3: expected a number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_numbers),
        cmocka_unit_test(test_unsigned_numbers),
        cmocka_unit_test(test_no_categories),
        cmocka_unit_test(test_bad_categories),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vectors_weights_and_iterations),
        cmocka_unit_test(test_bad_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
