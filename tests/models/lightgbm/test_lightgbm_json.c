/* The reader of LightGBM's JSON dumps. A dump must mean what the text of the same model means. */
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

#define HEADER_OF(outputs, average, more)                                                          \
    "{\"name\":\"tree\",\"version\":\"v4\",\"num_class\":" outputs                                 \
    ",\"num_tree_per_iteration\":" outputs                                                         \
    ",\"label_index\":0,\"max_feature_idx\":2,\"objective\":\"regression\",\"average_output\":"    \
    "" average ",\"feature_names\":[\"a\",\"b\",\"c\"],\"monotone_constraints\":[]," more
#define INFOS                                                                                      \
    "\"feature_infos\":{\"a\":{\"min_value\":0,\"max_value\":1,\"values\":[]},"                    \
    "\"c\":{\"min_value\":0,\"max_value\":2,\"values\":[0,1,2]}},"
#define HEADER HEADER_OF("1", "false", INFOS)
#define TREE(index, root)                                                                          \
    "{\"tree_index\":" index ",\"num_leaves\":2,\"num_cat\":0,\"shrinkage\":0.1,"                  \
    "\"tree_structure\":" root "}"
#define LEAF(value) "{\"leaf_value\":" value "}"
#define TAIL ",\"feature_importances\":{\"c\":1},\"pandas_categorical\":null}\n"
#define MODEL(trees) HEADER "\"tree_info\":[" trees "]" TAIL

#define SPLIT_OF(threshold, decision, left, missing)                                               \
    "{\"split_index\":0,\"split_feature\":0,\"split_gain\":9,\"threshold\":" threshold             \
    ",\"decision_type\":" decision ",\"default_left\":" left ",\"missing_type\":" missing          \
    ",\"internal_value\":0,\"internal_weight\":1,\"left_child\":" LEAF("1") ",\"right_child\":"    \
                                                                            "" LEAF("2") "}"
#define SPLIT(threshold, decision, left, missing)                                                  \
    MODEL(TREE("0", SPLIT_OF(threshold, decision, left, missing)))

/* The model of test_lightgbm.c, as LightGBM dumps it. */
#define ROOT                                                                                       \
    "{\"split_index\":0,\"split_feature\":2,\"threshold\":0.10000000000000001,"                    \
    "\"decision_type\":\"<=\",\"default_left\":true,\"missing_type\":\"NaN\","                     \
    "\"internal_count\":100,\"left_child\":{\"split_index\":1,\"split_feature\":0,\"threshold\":"  \
    "-1.25,\"decision_type\":\"<=\",\"default_left\":false,\"missing_type\":\"NaN\","              \
    "\"internal_count\":50,\"left_child\":{\"leaf_index\":0,\"leaf_value\":0.75,"                  \
    "\"leaf_weight\":1,\"leaf_count\":20},\"right_child\":{\"leaf_index\":1,\"leaf_value\":1.25,"  \
    "\"leaf_count\":30}},\"right_child\":{\"leaf_value\":1.75,\"leaf_count\":50}}"
#define LEAF_OF_SEVEN "{\"leaf_value\":20,\"leaf_count\":7}"

static void test_same_as_text(void **state) {
    (void)state;
    struct ensemble *dump =
        read_good("lightgbm-json", MODEL(TREE("0", ROOT) "," TREE("1", LEAF_OF_SEVEN)));
    struct ensemble *text = read_good(
        "lightgbm",
        "tree\nversion=v4\nnum_tree_per_iteration=1\nmax_feature_idx=2\nobjective=regression\n"
        "feature_names=a b c\nfeature_infos=[0:1] none 0:1:2\n\n"
        "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=2 0\nthreshold=0.1 -1.25\n"
        "decision_type=10 8\nleft_child=1 -1\nright_child=-3 -2\nleaf_value=0.75 1.25 1.75\n"
        "leaf_count=20 30 50\ninternal_count=100 50\n\n"
        "Tree=1\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nthreshold=\ndecision_type=\n"
        "left_child=\nright_child=\nleaf_value=20\nleaf_count=7\ninternal_count=\nend of trees\n");
    assert_true(same_ensemble(dump, text));
    assert_memory_equal(dump->feature_names, "a\0b\0c", 6);
    assert_string_equal(dump->objective, "regression");
    assert_int_equal(dump->averaged, 0);
    assert_null(dump->categories);
    ensemble_free(dump);
    ensemble_free(text);
}

/* Python's sort_keys puts tree_index before tree_structure, but left_child before threshold. */
static void test_any_order(void **state) {
    (void)state;
    struct ensemble *e = read_good(
        "lightgbm-json",
        "{\"tree_info\":[{\"tree_structure\":{\"left_child\":" LEAF("1") ",\"right_child\":" LEAF(
            "2") ",\"missing_type\":\"None\",\"default_left\":false,\"decision_type\":\"<=\","
                 "\"threshold\":0.5,\"split_feature\":0},\"tree_index\":2}," TREE(
                     "3", LEAF("4")) "],\"version\":\"v3\",\"feature_names\":[\"Column_0\",\"b\"],"
                                     "\"feature_infos\":{\"b\":{\"min_value\":0,\"max_value\":1,"
                                     "\"values\":[0,1]}},"
                                     "\"pandas_categorical\":[[\"x\",\"y\"]],\"max_feature_idx\":1,"
                                     "\"num_tree_per_iteration\":2,\"average_output\":true}");
    assert_int_equal(e->n_outputs, 2);
    assert_true(e->value[0] == 1 && e->value[1] == 2 && e->value[2] == 4);
    assert_int_equal(e->averaged, 0); /* an average of one iteration */
    assert_true(e->first_is_empty);
    assert_int_equal(categories_count(e->categories, 1), 2);
    assert_int_equal(categories_count(e->categories, 0), 0);
    ensemble_free(e);
}

/* Two iterations of two outputs: everything is halved. */
static void test_average(void **state) {
    (void)state;
    struct ensemble *e =
        read_good("lightgbm-json",
                  HEADER_OF("2", "true", "") "\"tree_info\":[" TREE("0", LEAF("1")) "," TREE(
                      "1", LEAF("2")) "," TREE("2", LEAF("4")) "," TREE("3", LEAF("8")) "]}");
    assert_true(score_by_walking(e, (const float[3]){0}, 0) == 2.5);
    assert_true(score_by_walking(e, (const float[3]){0}, 1) == 5);
    assert_int_equal(e->averaged, 2);
    ensemble_free(e);
}

/* --- how splits decide ------------------------------------------------------------------------ */

static void assert_sides(const char *text, const float (*sides)[2], size_t count) {
    struct ensemble *e = read_good("lightgbm-json", text);
    for (size_t i = 0; i < count; i++) {
        const float x[3] = {sides[i][0], 0, 0};
        if (score_by_walking(e, x, 0) != (double)sides[i][1])
            fail_msg("%g goes to the wrong side in %s", (double)x[0], text);
    }
    ensemble_free(e);
}
#define ASSERT_SIDES(text, ...)                                                                    \
    assert_sides(text, (const float[][2]){__VA_ARGS__},                                            \
                 sizeof(const float[][2]){__VA_ARGS__} / sizeof(float[2]))

static void test_decisions(void **state) {
    (void)state;
    ASSERT_SIDES(SPLIT("-0.5", "\"<=\"", "true", "\"None\""), {NAN, 2}, {-0.5F, 1}, {0, 2});
    ASSERT_SIDES(SPLIT("0.5", "\"<=\"", "false", "\"None\""), {NAN, 1}, {0.5F, 1}, {0.6F, 2});
    ASSERT_SIDES(SPLIT("-0.5", "\"<=\"", "true", "\"NaN\""), {NAN, 1}, {0, 2});
    ASSERT_SIDES(SPLIT("0.5", "\"<=\"", "false", "\"NaN\""), {NAN, 2}, {0, 1});
    ASSERT_SIDES(SPLIT("-0.5", "\"<=\"", "true", "\"Zero\""), {NAN, 1}, {0, 1}, {1, 2});
    ASSERT_SIDES(SPLIT("0.5", "\"<=\"", "false", "\"Zero\""), {NAN, 2}, {0, 2}, {-1, 1});
    ASSERT_SIDES(SPLIT("\"0||3||4||33\"", "\"==\"", "false", "\"None\""), {0, 1}, {-0.99F, 1},
                 {-1, 2}, {1, 2}, {3, 1}, {4.5F, 1}, {5, 2}, {33, 1}, {34, 2}, {NAN, 2});
    ASSERT_SIDES(SPLIT("\"2147483647\"", "\"==\"", "true", "\"NaN\""), {2147483648.F, 2}, {NAN, 2},
                 {7, 2});
    ASSERT_SIDES(SPLIT("\"\"", "\"==\"", "false", "\"None\""), {0, 2}, {1, 2}, {NAN, 2});
}

static void test_two_sets_in_a_tree(void **state) {
    (void)state;
    static const char more[] = "\"decision_type\":\"==\",\"default_left\":false,"
                               "\"missing_type\":\"None\",\"split_feature\":0,";
    char text[2048];
    snprintf(text, sizeof text,
             HEADER "\"tree_info\":[{\"tree_index\":0,\"tree_structure\":{%s\"threshold\":\"1||2\","
                    "\"left_child\":{%s\"threshold\":\"2||7\",\"left_child\":" LEAF(
                        "1") ","
                             "\"right_child\":" LEAF("2") "},\"right_child\":" LEAF("4") "}}]}",
             more, more);
    ASSERT_SIDES(text, {0, 4}, {1, 2}, {2, 1}, {7, 4});
}

/* --- what is refused -------------------------------------------------------------------------- */

#define AT "name:1: tree 0, node 0: "
#define ROOT_OF(text) MODEL(TREE("0", text))

static void test_bad_dumps(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: not well-formed JSON"},
        {"[]", "name:1: expected a JSON object"},
        {"{}", "name:1: version: missing key"},
        {"{\"version\":\"v5\"}", "name:1: version: expected a supported version. Supported"},
        {"{\"version\":\"v22\"}", "name:1: version: expected a supported version. Supported"},
        {"{\"hue\":1}", "name:1: hue: unknown key, which may change the scores"},
        {"{\"num_tree_per_iteration\":0}", "name:1: num_tree_per_iteration: expected an integer"},
        {"{\"max_feature_idx\":16000000}", "name:1: max_feature_idx: expected an integer from 0"},
        {"{\"average_output\":1}", "name:1: average_output: expected true or false"},
        {"{\"objective\":1}", "name:1: objective: expected a string"},
        {"{\"version\":\"v2\",\"num_tree_per_iteration\":1,\"max_feature_idx\":0,"
         "\"feature_names\":[\"a\"],\"tree_info\":[]}",
         "name: average_output is missing, so LightGBM 2.2.2 or an older version wrote the dump"},
        {MODEL(""), "name: the model has no trees"},
        {HEADER "\"tree_info\":{}" TAIL, "name:1: tree_info: expected an array"},
        {MODEL("1"), "name:1: tree_info: expected an array of objects"},
        {MODEL("{}"), "name:1: tree 0: tree_index: missing key"},
        {MODEL("{\"tree_index\":0}"), "name:1: tree 0: tree_structure: missing key"},
        {HEADER_OF("2", "false",
                   "") "\"tree_info\":[" TREE("1", LEAF("1")) "," TREE("2", LEAF("1")) "]}",
         "name:1: tree 0: tree_index is 1, so the trees are not in order"},
        {HEADER_OF("2", "false", "") "\"tree_info\":[" TREE("0", LEAF("1")) "]}",
         "name: the number of trees, 1, is not a multiple of num_tree_per_iteration=2"},
        {HEADER_OF("1", "false", "\"feature_infos\":[],") "\"tree_info\":[" TREE("0",
                                                                                 LEAF("1")) "]"
                                                                                            "}",
         "name:1: feature_infos: expected an object"},
        {HEADER_OF("1", "false",
                   "\"feature_infos\":{\"a\":{}},") "\"tree_info\":[" TREE("0", LEAF("1")) "]}",
         "name:1: feature_infos: values: missing key"},
        {HEADER "\"tree_info\":[" TREE("0", LEAF("1")) "],\"pandas_categorical\":[[1],[2],[3]]}",
         "name: pandas_categorical has 3 lists for 2 categorical features"},
        {"{\"version\":\"v4\",\"num_tree_per_iteration\":1,\"max_feature_idx\":1,"
         "\"average_output\":false,\"feature_names\":[\"a\"],\"tree_info\":[" TREE("0",
                                                                                   LEAF("1")) "]}",
         "name:1: feature_names: found 1, expected 2 (one per feature)"},
        {ROOT_OF("1"), "name:1: tree 0: tree_structure: expected an object"},
        {ROOT_OF("{}"), AT "a node without leaf_value needs split_feature"},
        {ROOT_OF("{\"leaf_value\":1,\"threshold\":1}"), AT "a leaf must not have threshold"},
        {ROOT_OF("{\"leaf_value\":1,\"left_child\":{\"leaf_value\":1}}"),
         AT "a leaf must not have left_child"},
        {ROOT_OF("{\"leaf_value\":1,\"leaf_value\":1}"), AT "leaf_value: duplicate key"},
        {ROOT_OF("{\"left_child\":" LEAF("1") ",\"left_child\":" LEAF("1") "}"),
         AT "left_child: duplicate key"},
        {ROOT_OF("{\"leaf_value\":1,\"hue\":1}"), AT "hue: unknown key, which may change"},
        {ROOT_OF("{\"leaf_value\":NaN}"), AT "leaf_value: expected a finite number"},
        {ROOT_OF("{\"leaf_value\":1,\"leaf_count\":-1}"), AT "leaf_count: expected an integer"},
        {ROOT_OF("{\"leaf_value\":1,\"leaf_const\":1,\"leaf_features\":[]}"),
         "name:1: tree 0 is a linear tree, which is not supported. Train with linear_tree=false"},
        {ROOT_OF("{\"split_feature\":3}"), AT "split_feature: expected an integer from 0 to 2"},
        {SPLIT("1e300", "\"<=\"", "true", "\"NaN\""),
         AT "the threshold 1e+300 may stand for infinity, because dump_model writes both alike. "
            "Save the model with save_model(\"model.txt\") instead"},
        {SPLIT("-1.0000000000000001e+300", "\"<=\"", "true", "\"NaN\""),
         AT "the threshold -1e+300 may stand for infinity"},
        {SPLIT("null", "\"<=\"", "true", "\"NaN\""), AT "threshold: expected a finite number"},
        {SPLIT("1", "\"==\"", "true", "\"NaN\""), AT "threshold: expected categories"},
        {SPLIT("\"1\"", "\"<=\"", "true", "\"NaN\""), AT "threshold: expected a number"},
        {SPLIT("1", "\"<\"", "true", "\"NaN\""), AT "decision_type: expected \"<=\" or \"==\""},
        {SPLIT("1", "\"<=\"", "1", "\"NaN\""), AT "default_left: expected true or false"},
        {SPLIT("1", "\"<=\"", "true", "\"none\""), AT "missing_type: expected \"None\", \"Zero\""},
        {SPLIT("\"1||1\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
        {SPLIT("\"2||1\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
        {SPLIT("\"1||\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
        {SPLIT("\"1|2\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
        {SPLIT("\"x\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
        {SPLIT("\"2147483648\"", "\"==\"", "true", "\"NaN\""), AT "threshold: expected increasing"},
    };
    assert_refused("lightgbm-json", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("lightgbm-json", MODEL(TREE("0", ROOT) "," TREE("1", LEAF_OF_SEVEN)));
    assert_cut_anywhere("lightgbm-json", SPLIT("\"0||3\"", "\"==\"", "false", "\"None\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_text),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_two_sets_in_a_tree),
        cmocka_unit_test(test_bad_dumps),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
