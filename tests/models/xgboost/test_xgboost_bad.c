/* XGBoost's JSON and UBJSON: invalid, corrupt and truncated files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/models/reading.h"
#include "tests/models/xgboost/xgboost_text.h"

#define LEAF_MODEL(trees) XGB_MODEL("rank:ndcg", "0", "0", "1", "1", "0", trees)
#define IN_TREE(left, right, feature, condition, default_left)                                     \
    LEAF_MODEL(XGB_TREE(left, right, feature, condition, default_left, "3"))

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: not well-formed JSON: the file ends too early; expected a value"},
        {"[]", "name:1: expected a JSON object"},
        {"{}", "name:1: learner: missing"},
        {"{\"learner\": 1}", "name:1: learner: expected an object"},
        {"{\"learner\": {\n}}", "name:2: learner: gradient_booster: missing"},
        {LEAF_MODEL(XGB_LEAF("1")) "x",
         "name:12: not well-formed JSON: expected the end of the file, found 'x'"},
        {LEAF_MODEL("1"), "name:3: trees: expected an array of objects"},
        {LEAF_MODEL(""), "name:6: trees: length is 0, expected 1 (num_trees)"},
        {LEAF_MODEL(XGB_LEAF("1") "," XGB_LEAF("1")),
         "name:18: trees: length is 2, expected 1 (num_trees)"},
        {LEAF_MODEL("{\"hue\": 1}"),
         "name:3: tree 0: hue: unknown key, which may change the scores"},
        {LEAF_MODEL("{\"id\": 1, \"id\": 1}"), "name:3: tree 0: id: duplicate key in an object"},
        {LEAF_MODEL("{\"id\": 1}"), "name:3: tree 0: left_children: missing"},
        {IN_TREE("1,-1", "2,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name:8: tree 0: left_children: length is 2, expected 3 (num_nodes)"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "1,2,3,4", "0,0,0"),
         "name:8: tree 0: split_conditions: length is 4, expected 3 (num_nodes)"},
        {IN_TREE("1,-2,-1", "2,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name:3: tree 0, node 1: left_children: expected an integer from -1 to"},
        {IN_TREE("1,-1,-1", "2.0,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name:4: tree 0, node 0: right_children: expected an integer from -1 to"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "-1,0,0", "1,2,3", "0,0,0"),
         "name:5: tree 0, node 0: split_indices: expected an integer from 0 to"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "1,\"2\",3", "0,0,0"),
         "name:6: tree 0, node 1: split_conditions: expected a number"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "1,2,3", "0,0,2"),
         "name:7: tree 0, node 2: default_left: expected 0, 1"},
        {IN_TREE("1,-1,-1", "3,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 0: its child 3 is out of range (1 to 2)"},
        {IN_TREE("1,-1,-1", "0,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 0: its child 0 is out of range (1 to 2)"},
        {IN_TREE("1,-1,-1", "1,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 0: its child 1 is already a child of another node"},
        {IN_TREE("-1,2,1", "-1,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 1: its child -1 is out of range (1 to"},
        {IN_TREE("-1,-1,-1", "-1,-1,-1", "0,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 1: the node cannot be reached from the root and is not marked as "
         "deleted"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,2147483647", "1,2,3", "0,0,1"),
         "name: tree 0, node 2: the node is marked as deleted but still used"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "1,0,0", "1,2,3", "0,0,0"),
         "name: tree 0, node 0: feature 1 is out of range (the number of features is 1)"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "NaN,2,3", "0,0,0"),
         "name: tree 0, node 0: the split condition is NaN"},
        {IN_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "1,2,1e99", "0,0,0"),
         "name: tree 0, node 2: the value of a leaf must be finite"},
        {XGB_CATEGORICAL("1", "1", "1", "0"),
         "name: tree 0, node 0: a categorical split has no categories"},
        {XGB_CATEGORICAL("1", "0", "2", "0"),
         "name: tree 0, node 0: a categorical split has no categories"},
        {XGB_CATEGORICAL("1", "", "1", "0"), "name:8: tree 0: categories_nodes, "},
        {XGB_CATEGORICAL("16777216", "0", "1", "0"),
         "name: tree 0, node 0: categories must be from 0 to 16777215"},
        {XGB_CATEGORICAL("-1", "0", "1", "0"),
         "name:3: tree 0: categories: entry 1: expected an integer"},
        {XGB_ONE_LEAF("reg:squarederror", "x"),
         "name:10: base_score: expected a string with a number"},
        {XGB_ONE_LEAF("reg:squarederror", "[1"),
         "name:10: base_score: expected a string with a numb"},
        {XGB_ONE_LEAF("reg:squarederror", "1,2"),
         "name:10: base_score: expected a string with a num"},
        {XGB_ONE_LEAF("reg:squarederror", "[1,2]"),
         "name: base_score has 2 values, but the model has 1 output. Expected one value, or one "
         "per output"},
        {XGB_ONE_LEAF("reg:squarederror", "nan"), "name: base_score: nan cannot be converted to a "
                                                  "finite raw score (margin) for reg:squarederror"},
        {XGB_ONE_LEAF("binary:logistic", "1.5"), "name: base_score: 1.5 cannot be converted to a "
                                                 "finite raw score (margin) for binary:logistic"},
        {XGB_ONE_LEAF("my:own", "1"),
         "name: unknown objective 'my:own', so its base score cannot be converted"},
        {XGB_MODEL("rank:ndcg", "0", "x", "1", "1", "0", XGB_LEAF("1")),
         "name:10: num_class: expected a string with a 32-bit integer"},
        {XGB_MODEL("rank:ndcg", "0", "4000000", "1", "1", "0", XGB_LEAF("1")),
         "name: the number of outputs is 4000000, expected 1 to"},
        {XGB_MODEL("rank:ndcg", "0", "2", "1", "1", "2", XGB_LEAF("1")),
         "name: tree_info: tree 0 adds to output 2, but the number of outputs is 2"},
        {XGB_MODEL("rank:ndcg", "0", "0", "1", "1", "0,0", XGB_LEAF("1")),
         "name: tree_info: length is 2, expected 1"},
        {XGB_MODEL("rank:ndcg", "0", "0", "20000000", "1", "0", XGB_LEAF("1")),
         "name: the model has 20000000 features"},
        {XGB_MODEL_IN("", ", \"name\": \"gbforest\"", "rank:ndcg", "0", "0", "1", "1", "0",
                      XGB_LEAF("1")),
         "name: gradient_booster: 'gbforest' is not supported"},
        {XGB_MODEL_IN("", ", \"name\": \"dart\", \"weight_drop\": [1, 2]", "rank:ndcg", "0", "0",
                      "1", "1", "0", XGB_LEAF("1")),
         "name:9: weight_drop: length is 2, expected 1"},
        {"{\"learner\": {\"gradient_booster\": {\"model\": {\"weights\": [1]}}}}",
         "name: gradient_booster: linear models (gblinear) are not supported"},
        {"{\"learner\": {\"gradient_booster\": {\"model\": {\"boosted_rounds\": 3, \"weights\": "
         "[1]}}}}",
         "name: gradient_booster: linear models (gblinear) are not supported"},
        {XGB_MODEL_IN("", ", \"name\": \"gbtree\", \"weight_drop\": [1, 2]", "rank:ndcg", "0", "0",
                      "1", "1", "0", XGB_LEAF("1")),
         "name:9: weight_drop: length is 2, expected 1"},
    };
    assert_refused("xgboost", bad, sizeof bad / sizeof *bad);
}

/* One byte of good UBJSON changed, anywhere, to anything near: an error or a model. */
static void test_damaged_ubjson(void **state) {
    (void)state;
    struct bytes bytes = to_ubjson(XGB_TWO_TREES);
    for (size_t i = 0; i < bytes.size; i++) {
        char before = bytes.data[i];
        for (int change = 1; change < 256; change *= 2) {
            struct ensemble *e = NULL;
            struct error error = {""};
            bytes.data[i] = (char)(before ^ change);
            if (read_copy("xgboost-ubjson", bytes.data, bytes.size, &e, &error) == STATUS_OK)
                ensemble_free(e);
            else
                assert_memory_equal(error.text, "name:", 5);
        }
        bytes.data[i] = before;
    }
    free(bytes.data);
}

static void test_bad_ubjson(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name: byte 0: the file ends inside a value"},
        {"x",
         "name: byte 1: not well-formed UBJSON: found byte 0x78, expected the type of a value"},
        {"{$", "name: byte 1: objects with a count are not supported"},
        {"{U\7learner[$U", "name: byte 11: the file ends inside a value"},
        {"{U\7learner{U\1a[$T#U\1",
         "name: byte 15: not well-formed UBJSON: a typed array must have numbers and a count"},
        {"{U\7learner{U\1a[$d#L\177\177\177\177\177\177\177\177",
         "name: byte 27: an array exceeds the rest of the file (length: 9187201950435737471, bytes "
         "left: 0)"},
        {"{U\7learner{U\1aSl\177\177\177\177", "name: byte 20: a string exceeds the rest of the "
                                               "file (length: 2139062143, bytes left: 0)"},
        {"{U\7learner{U\1aSi\377", "name: byte 17: not well-formed UBJSON: negative length"},
        {"{d", "name: byte 1: not well-formed UBJSON: found byte 0x64, expected the type of a "
               "length (i, U, I, l or L)"},
    };
    assert_refused("xgboost-ubjson", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("xgboost", XGB_TWO_TREES);
    struct bytes bytes = to_ubjson(XGB_TWO_TREES);
    for (size_t size = 0; size < bytes.size; size++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_int_not_equal(read_copy("xgboost-ubjson", bytes.data, size, &e, &error), STATUS_OK);
        assert_memory_equal(error.text, "name: byte ", 11);
    }
    free(bytes.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_damaged_ubjson),
        cmocka_unit_test(test_bad_ubjson),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
