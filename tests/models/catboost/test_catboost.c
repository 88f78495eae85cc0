/* The reader of CatBoost's JSON. */
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
#include "tests/models/real.h"

#define FEATURE(index, flat, borders, nans, treatment)                                             \
    "{\"feature_index\": " index ", \"flat_feature_index\": " flat ", \"feature_id\": \"\", "      \
    "\"borders\": " borders ", \"has_nans\": " nans ", \"nan_value_treatment\": \"" treatment      \
    "\"}"
#define FEATURES(list) "{\"features_info\": {\"float_features\": [" list "]}, "
#define SPLIT(feature, border, index)                                                              \
    "{\"split_type\": \"FloatFeature\", \"float_feature_index\": " feature ", \"border\": " border \
    ", \"split_index\": " index "}"
#define TREE(splits, values) "{\"splits\": " splits ", \"leaf_values\": " values "}"
#define TREES(list) "\"oblivious_trees\": [" list "]"

/* NaN never occurs in column 1. In column 3 it is above every border, in column 4 below. */
#define THREE_FEATURES                                                                             \
    FEATURES(FEATURE("0", "1", "[0.5, 1.5]", "false", "AsIs") ", " FEATURE(                        \
        "1", "3", "[0.1]", "true", "AsTrue") ", " FEATURE("3", "4", "[-3.4028235e38, 2]", "true",  \
                                                          "AsFalse"))
#define MODEL                                                                                      \
    THREE_FEATURES TREES(                                                                          \
        TREE("[" SPLIT("0", "1.5", "1") ", " SPLIT("1", "0.1", "2") ", " SPLIT("3", "2", "4") "]", \
             "[1, 2, 4, 8, 16, 32, 64, 128]") ", " TREE("null", "[0.25]"))

struct row {
    float x[5];
    double score;
};

static void assert_scores(const char *text, uint32_t output, const struct row *rows, size_t count) {
    struct ensemble *e = read_good("catboost", text);
    for (size_t i = 0; i < count; i++)
        assert_true(score_by_walking(e, rows[i].x, output) == rows[i].score);
    ensemble_free(e);
}

/* Bit i of a leaf's number is set if x is above the border of split i. */
static void test_scores_by_hand(void **state) {
    (void)state;
    const float above = nextafterf(0.1F, 1);
    const struct row rows[] = {
        {{0, 1.5F, 0, 0.1F, 2}, 1.25},   {{0, 1.6F, 0, 0.1F, 2}, 2.25},
        {{0, 1.5F, 0, above, 2}, 4.25},  {{0, 1.6F, 0, above, 2}, 8.25},
        {{0, 1.5F, 0, 0.1F, 3}, 16.25},  {{0, 1.6F, 0, 0.1F, 3}, 32.25},
        {{0, 1.5F, 0, above, 3}, 64.25}, {{0, 1.6F, 0, above, 3}, 128.25},
        {{0, NAN, 0, 0, 0}, 1.25},       {{0, 0, 0, NAN, 0}, 4.25},
        {{0, 0, 0, 0, NAN}, 1.25},       {{NAN, NAN, NAN, NAN, NAN}, 4.25},
    };
    assert_scores(MODEL "}", 0, rows, sizeof rows / sizeof *rows);
    struct ensemble *e = read_good("catboost", MODEL "}");
    assert_int_equal(e->n_features, 5);
    assert_int_equal(e->n_trees, 2);
    const double values[] = {1, 2, 4, 8, 16, 32, 64, 128, 0.25};
    assert_memory_equal(e->value, values, sizeof values); /* in the file's order */
    ensemble_free(e);
}

/* NaN is above a border only if the feature had NaNs in training. */
static void test_treatment_without_nans(void **state) {
    (void)state;
    const struct row rows[] = {{{NAN}, 1}, {{1}, 1}, {{2}, 2}};
    assert_scores(FEATURES(FEATURE("0", "0", "[1]", "false", "AsTrue"))
                      TREES(TREE("[" SPLIT("0", "1", "0") "]", "[1, 2]")) "}",
                  0, rows, 3);
}

static void test_scale_and_bias(void **state) {
    (void)state;
    static const struct {
        const char *pair;
        double score;
    } cases[] = {{"[2, [0.5]]", 3}, {"[2, 0.5]", 3}, {"[3, []]", 3.75}, {"[1, null]", 1.25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        const struct row row = {{0}, cases[i].score};
        snprintf(text, sizeof text, "%s, \"scale_and_bias\": %s}", MODEL, cases[i].pair);
        assert_scores(text, 0, &row, 1);
    }
}

/* The values of a leaf's outputs are contiguous. A single bias is for all outputs. */
static void test_several_outputs(void **state) {
    (void)state;
    static const char trees[] = FEATURES(FEATURE("0", "0", "[1]", "false", "AsIs")) TREES(
        TREE("[" SPLIT("0", "1", "0") "]", "[1, 2, 3, 4, 5, 6]") ", " TREE("null", "[10, 20, 30]"));
    static const struct {
        const char *bias;
        double sums[2][3];
    } cases[] = {{"[0.5, 0.25, 0]", {{11.5, 22.25, 33}, {14.5, 25.25, 36}}},
                 {"0.5", {{11.5, 22.5, 33.5}, {14.5, 25.5, 36.5}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s, \"scale_and_bias\": [1, %s]}", trees, cases[i].bias);
        for (uint32_t output = 0; output < 3; output++) {
            const struct row rows[] = {{{1}, cases[i].sums[0][output]},
                                       {{2}, cases[i].sums[1][output]}};
            assert_scores(text, output, rows, 2);
        }
    }
}

#define CATEGORIES(list) "\"categorical_features\": [" list "], "
#define CATEGORY(index, flat, values)                                                              \
    "{\"feature_index\": " index ", \"flat_feature_index\": " flat ", \"values\": " values "}"
#define ONE_HOT(feature, value, index)                                                             \
    "{\"split_type\": \"OneHotFeature\", \"cat_feature_index\": " feature ", \"value\": " value    \
    ", \"split_index\": " index "}"
#define WITH_CATEGORIES                                                                            \
    "{\"features_info\": {" CATEGORIES(CATEGORY(                                                   \
        "0", "0", "[-5, 605890862, 1121341681]") ", {\"feature_index\": 1, "                       \
                                                 "\"flat_feature_index\": 1}, " CATEGORY(          \
                                                     "2", "3", "[7]")) "\"float_features\": "      \
                                                                       "[" FEATURE("0", "2",       \
                                                                                   "[1]", "false", \
                                                                                   "AsIs") "]}, "

/* Columns 0 and 3 are categorical. "Moscow" is the second hash, but the first that is tested. */
static void test_categories(void **state) {
    (void)state;
    static const char text[] = WITH_CATEGORIES TREES(
        TREE("[" ONE_HOT("0", "605890862", "2") ", " SPLIT("0", "1", "0") "]",
             "[1, 2, 4, 8]") ", " TREE("[" ONE_HOT("0", "1121341681", "3") "]",
                                       "[16, 32]") ", " TREE("[" ONE_HOT("2", "7", "4") "]",
                                                             "[64, 128]")) "}";
    const struct row rows[] = {
        {{0, 0, 1, NAN}, 2 + 16 + 64},  {{1, 0, 1, NAN}, 1 + 32 + 64},
        {{NAN, 0, 2, 0}, 4 + 16 + 128}, {{0, 0, 2, 1}, 8 + 16 + 64},
        {{5, 0, 1, NAN}, 1 + 16 + 64},
    };
    assert_scores(text, 0, rows, sizeof rows / sizeof *rows);
    struct ensemble *e = read_good("catboost", text);
    assert_int_equal(categories_find(e->categories, 0, "Moscow", 6), 0);
    assert_int_equal(categories_find(e->categories, 0, "1", 1), 1);
    assert_int_equal(categories_find(e->categories, 0, "Paris", 5), CATEGORIES_UNKNOWN);
    assert_int_equal(categories_count(e->categories, 0), 2);
    assert_int_equal(categories_count(e->categories, 3), 1);
    assert_false(categories_refuse_unknown(e->categories));
    ensemble_free(e);
}

static void test_bad_categories(void **state) {
    (void)state;
#define BAD(list)                                                                                  \
    "{\"features_info\": {" CATEGORIES(list) "\"float_features\": []}, " TREES(                    \
        TREE("null", "[1]")) "}"
    static const struct bad_text bad[] = {
        {BAD(CATEGORY("0", "0", "[2, 1]")),
         "name:1: values: the values of categories must be increasing"},
        {BAD(CATEGORY("0", "0", "[2147483648]")),
         "name:1: values: entry 1: expected an integer from -2147483648 to"},
        {BAD(CATEGORY("0", "0", "[\"a\"]")),
         "name:1: values: entry 1: expected an integer from -2147483648 to"},
        {BAD(CATEGORY("0", "0", "[1]") ", " CATEGORY("0", "1", "[1]")),
         "name:1: categorical_features: categorical features must be in increasing order"},
        {BAD(CATEGORY("0", "1", "[1]") ", " CATEGORY("1", "1", "[1]")),
         "name:1: categorical_features: categorical features must be in increasing order"},
        {WITH_CATEGORIES TREES(TREE("[" ONE_HOT("0", "7", "4") "]", "[1, 2]")) "}",
         "name:1: tree 0, split 0: split_index: 4 is not the number of this"},
        {WITH_CATEGORIES TREES(TREE("[" ONE_HOT("0", "8", "2") "]", "[1, 2]")) "}",
         "name:1: tree 0, split 0: split_index: 2 is not the number of this"},
    };
    assert_refused("catboost", bad, sizeof bad / sizeof *bad);
}

#define ONE_FEATURE FEATURES(FEATURE("0", "0", "[1]", "false", "AsIs"))
#define ONE_TREE TREES(TREE("[" SPLIT("0", "1", "0") "]", "[1, 2]"))
#define SPLITS(list) ONE_FEATURE TREES(TREE("[" list "]", "[1, 2]")) "}"

#define TWO_SPLITS SPLIT("0", "1", "0") ", " SPLIT("0", "1", "0")
#define SIX_SPLITS TWO_SPLITS ", " TWO_SPLITS ", " TWO_SPLITS

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: "},
        {"{\"features_info\": ", "name:1: "},
        {"[]", "name:1: expected a JSON object"},
        {"{}", "name:1: features_info: missing"},
        {"{\"features_info\": {}}", "name:1: oblivious_trees: missing"},
        {"{\"features_info\": {}, \"trees\": []}", "name:1: the model has no trees"},
        {"{\"features_info\": {}, \"oblivious_trees\": []}", "name:1: the model has no trees"},
        {"{\"features_info\": {}, \"oblivious_trees\": [], \"trees\": []}",
         "name:1: trees: expected either oblivious_trees or trees"},
        {"{\"features_info\": {}, \"oblivious_trees\": [1]}",
         "name:1: oblivious_trees: expected an array of objects"},
        {"{\"features_info\": {\"float_features\": 1}}",
         "name:1: float_features: expected an array"},
        {FEATURES("1"), "name:1: "},
        {FEATURES("{}") ONE_TREE "}", "name:1: float feature 0: feature_index: missing"},
        {FEATURES(FEATURE("-1", "0", "[]", "true", "AsIs")) ONE_TREE "}",
         "name:1: float feature 0: feature_index: expected an integer from 0"},
        {FEATURES(FEATURE("0", "16000000", "[]", "true", "AsIs")) ONE_TREE "}",
         "name:1: float feature 0: flat_feature_index: expected an integer from 0 to 15999999"},
        {FEATURES(FEATURE("0", "0", "[\"a\"]", "true", "AsIs")) ONE_TREE "}",
         "name:1: float feature 0: borders: entry 1: expected a number"},
        {FEATURES(FEATURE("0", "0", "[1e39]", "true", "AsIs")) ONE_TREE "}",
         "name:1: float feature 0: a border is not a number in the range of float32"},
        {FEATURES(FEATURE("0", "0", "[1]", "1", "AsIs")) ONE_TREE "}",
         "name:1: float feature 0: has_nans: expected true or false"},
        {FEATURES(FEATURE("0", "0", "[1]", "true", "Min")) ONE_TREE "}",
         "name:1: float feature 0: nan_value_treatment: expected"},
        {FEATURES(FEATURE("1", "0", "[1]", "true", "AsIs") ", " FEATURE("1", "1", "[1]", "true",
                                                                        "AsIs")) ONE_TREE "}",
         "name:1: float feature 1: feature_index: 1 must be greater than that of the previous "
         "feature (1)"},
        {SPLITS("1"), "name:1: tree 0: splits: expected an array of objects"},
        {SPLITS("{\"split_type\": \"OneHotFeature\", \"cat_feature_index\": 0, \"value\": 7, "
                "\"split_index\": 1}"),
         "name:1: tree 0, split 0: split_index: 1 is not the number of this"},
        {SPLITS("{\"split_type\": \"OneHotFeature\", \"border\": 1, \"split_index\": 1}"),
         "name:1: tree 0, split 0: expected float_feature_index and border, or cat_feature_index "
         "and value"},
        {SPLITS("{\"split_type\": \"OnlineCtr\", \"border\": 1, \"split_index\": 1}"),
         "name:1: tree 0, split 0: split_index: 1 is not the number of this border's bin"},
        {SPLITS("{\"split_type\": \"EstimatedFeature\", \"border\": 1}"),
         "name:1: tree 0, split 0: split_type: the tree tests \"EstimatedFeature\", which only "
         "CatBoost can compute"},
        {SPLITS(SPLIT("1", "1", "0")),
         "name:1: tree 0, split 0: float_feature_index: there is no float feature 1"},
        {SPLITS(SPLIT("0", "2", "0")),
         "name:1: tree 0, split 0: split_index: 0 is not the number of this"},
        {SPLITS(SPLIT("0", "1", "1")),
         "name:1: tree 0, split 0: split_index: 1 is not the number of this"},
        {SPLITS(SPLIT("0", "null", "0")),
         "name:1: tree 0, split 0: border: expected a number in the range of float32"},
        {ONE_FEATURE TREES(TREE("[" SPLIT("0", "1", "0") "]", "[1]")) "}",
         "name:1: tree 0: leaf_values: length 1 is not a multiple of 2"},
        {ONE_FEATURE TREES(TREE("[" SPLIT("0", "1", "0") "]", "[1, 2, 3]")) "}",
         "name:1: tree 0: leaf_values: length is 3, expected 2 (splits: 1, outputs: 1)"},
        {ONE_FEATURE TREES(TREE("null", "[1]") ", " TREE("null", "[1, 2]")) "}",
         "name:1: tree 1: leaf_values: length is 2, expected 1 (splits: 0, outputs: 1)"},
        {ONE_FEATURE TREES(TREE("null", "[\"a\"]")) "}",
         "name:1: tree 0: leaf_values: entry 1: expected a finite number"},
        {SPLITS(SIX_SPLITS ", " SIX_SPLITS ", " SIX_SPLITS ", " SIX_SPLITS ", " SIX_SPLITS),
         "name:1: tree 0: splits: more than 24"},
        {ONE_FEATURE ONE_TREE ", \"scale_and_bias\": 1}", "name:1: scale_and_bias: expected"},
        {ONE_FEATURE ONE_TREE ", \"scale_and_bias\": [1]}", "name:1: scale_and_bias: expected"},
        {ONE_FEATURE ONE_TREE ", \"scale_and_bias\": [1, [1, 2]]}",
         "name:1: scale_and_bias: found 2 biases, expected 1"},
        {ONE_FEATURE ONE_TREE ", \"scale_and_bias\": [1, [\"a\"]]}",
         "name:1: scale_and_bias: expected"},
        {ONE_FEATURE ONE_TREE ", \"scale_and_bias\": [1e308, 1e309]}",
         "name:1: scale_and_bias: expected"},
        {"CBM1", "name: the file is shorter than its header states"},
        {"\010\001\022 Mr. Catboost", "name:1: CatBoost models in CoreML format are not supported"},
    };
    assert_refused("catboost", bad, sizeof bad / sizeof *bad);
}

#define NODE(left, right)                                                                          \
    "{\"left\": " left ", \"right\": " right ", \"split\": " SPLIT("0", "1", "0") "}"
#define OTHER(tree) ONE_FEATURE "\"trees\": [" tree "]}"

/* Depthwise and Lossguide: documents go right if x > border. */
static void test_trees_that_are_not_symmetric(void **state) {
    (void)state;
    const struct row rows[] = {{{1}, 3}, {{2}, 6}, {{NAN}, 3}};
    assert_scores(OTHER(NODE("{\"value\": 1, \"weight\": 3}",
                             NODE("{\"value\": 2}", "{\"value\": 4}")) ", {\"value\": 2}"),
                  0, rows, 3);
    const struct row second[] = {{{1}, 2}, {{2}, 4}};
    assert_scores(OTHER(NODE("{\"value\": [1, 2]}", "{\"value\": [3, 4]}")), 1, second, 2);
}

static void test_bad_trees_that_are_not_symmetric(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {OTHER("1"), "name:1: trees: expected an array of objects"},
        {OTHER("{}"), "name:1: tree 0, node 0: a node without value needs split"},
        {OTHER("{\"value\": \"a\"}"),
         "name:1: tree 0, node 0: value: expected a finite number, or"},
        {OTHER("{\"value\": []}"),
         "name:1: tree 0, node 0: value: expected one number per output, as in the first leaf"},
        {OTHER("{\"value\": 1, \"value\": 1}"), "name:1: tree 0, node 0: value: duplicate key"},
        {OTHER("{\"value\": 1}, {\"value\": [1, 2]}"), "name:1: tree 1, node 0: value: expected"},
        {OTHER(NODE("1", "{\"value\": 1}")), "name:1: tree 0, node 0: left: expected an object"},
        {OTHER(NODE("{\"value\": 1}, \"left\": {\"value\": 1}", "{\"value\": 1}")),
         "name:1: tree 0, node 0: left: duplicate key"},
        {OTHER(NODE("{}", "{\"value\": 1}")),
         "name:1: tree 0, node 1: a node without value needs split"},
        {OTHER("{\"left\": {\"value\": 1}, \"right\": {\"value\": 1}}"),
         "name:1: tree 0, node 0: a node without value needs split"},
        {OTHER("{\"left\": {\"value\": 1}, \"value\": 1}"),
         "name:1: tree 0, node 0: a leaf must not have left"},
        {OTHER("{\"split\": 1}"), "name:1: tree 0, node 0: split: expected an object"},
        {OTHER("{\"split\": " SPLIT("1", "1", "0") "}"),
         "name:1: tree 0, node 0: float_feature_index: there is no float feature 1"},
    };
    assert_refused("catboost", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("catboost", MODEL ", \"scale_and_bias\": [1, [0.5]]}");
    assert_cut_anywhere("catboost", OTHER(NODE("{\"value\": 1}", "{\"value\": 2}")));
}

static void test_real_model_is_refused(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    struct error error;
    const char *path = real_path("models/rankeval-samples/CatBoost.model.coreml");
    assert_int_equal(model_read(path, &e, &error), STATUS_UNSUPPORTED);
    assert_null(e);
    assert_non_null(strstr(error.text, ":1: CatBoost models in CoreML format are not supported"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_treatment_without_nans),
        cmocka_unit_test(test_scale_and_bias),
        cmocka_unit_test(test_several_outputs),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_bad_categories),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_trees_that_are_not_symmetric),
        cmocka_unit_test(test_bad_trees_that_are_not_symmetric),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_real_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
