/* The reader of ONNX's trees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/format.h"
#include "tests/models/onnx/onnx_file.h"
#include "tests/models/reading.h"
#include "tests/models/real.h"

/* --- examples --------------------------------------------------------------------------------- */

/* x0 <= 0.5: 1, else x1 < 2: 2, else 4; the other tree: x0 > 3 (NaN: true): 8, else 16. */
#define NODES                                                                                      \
    "nodes_treeids=0 0 0 0 0 1 1 1\n"                                                              \
    "nodes_nodeids=0 1 2 3 4 0 1 2\n"                                                              \
    "nodes_featureids=0 0 1 0 0 0 0 0\n"                                                           \
    "nodes_modes'BRANCH_LEQ LEAF BRANCH_LT LEAF LEAF BRANCH_GT LEAF LEAF\n"                        \
    "nodes_values:0.5 0 2 0 0 3 0 0\n"                                                             \
    "nodes_truenodeids=1 0 3 0 0 1 0 0\n"                                                          \
    "nodes_falsenodeids=2 0 4 0 0 2 0 0\n"                                                         \
    "nodes_missing_value_tracks_true=0 0 0 0 0 1 0 0\n"
#define TARGETS                                                                                    \
    "target_treeids=0 0 0 1 1\ntarget_nodeids=4 1 3 1 2\ntarget_ids=0 0 0 0 0\n"                   \
    "target_weights:4 1 2 8 16\n"
#define REGRESSOR NODES TARGETS "n_targets#1\nbase_values:0.25\npost_transform$NONE\n"

static struct ensemble *read_model_of(const char *operator, const char * attributes, bool packed) {
    struct bytes model = model_of(operator, "X", attributes, packed);
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_true(format_named("onnx")->recognise(model.data, model.size));
    if (read_copy("onnx", model.data, model.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void assert_score(const struct ensemble *e, float x0, float x1, uint32_t output,
                         double expected) {
    double score = score_by_walking(e, (float[]){x0, x1}, output);
    if (score != expected)
        fail_msg("(%g, %g): %g, should be %g", (double)x0, (double)x1, score, expected);
}

static void test_regressor(void **state) {
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct ensemble *e = read_model_of("TreeEnsembleRegressor", REGRESSOR, packed);
        assert_int_equal(e->n_trees, 2);
        assert_score(e, 0.5F, 9, 0, 17.25);
        assert_score(e, 0.75F, 1.5F, 0, 18.25);
        assert_score(e, 3, 2, 0, 20.25);
        assert_score(e, 3.5F, 2, 0, 12.25);
        assert_score(e, NAN, 2, 0, 12.25);
        assert_score(e, 1, NAN, 0, 20.25);
        ensemble_free(e);
    }
}

static void test_average(void **state) {
    (void)state;
    struct ensemble *e =
        read_model_of("TreeEnsembleRegressor", NODES TARGETS "aggregate_function$AVERAGE", false);
    assert_score(e, 0, 0, 0, 8.5);
    ensemble_free(e);
}

#define STUMP                                                                                      \
    "nodes_treeids=0 0 0\nnodes_nodeids=0 1 2\nnodes_featureids=1 0 0\n"                           \
    "nodes_modes'BRANCH_GTE LEAF LEAF\nnodes_values:1 0 0\nnodes_truenodeids=2 0 0\n"              \
    "nodes_falsenodeids=1 0 0\n"

static void test_classes(void **state) {
    (void)state;
    struct ensemble *e = read_model_of(
        "TreeEnsembleClassifier",
        STUMP "class_treeids=0 0 0\nclass_nodeids=1 2 2\nclass_ids=0 0 2\n"
              "class_weights:1 0.25 0.75\nclasslabels_strings'a b c\nbase_values:0 0.5 0\n",
        false);
    assert_int_equal(e->n_outputs, 3);
    assert_int_equal(e->n_trees, 2); /* no leaf votes for the second class */
    assert_score(e, 0, 0.5F, 0, 1);
    assert_score(e, 0, 1, 0, 0.25);
    assert_score(e, 0, 1, 1, 0.5);
    assert_score(e, 0, 0.5F, 2, 0);
    assert_score(e, 0, 1, 2, 0.75);
    ensemble_free(e);
}

static void test_two_classes_with_weights_of_one(void **state) {
    (void)state;
    struct ensemble *e = read_model_of("TreeEnsembleClassifier",
                                       STUMP "class_treeids=0 0\nclass_nodeids=1 2\nclass_ids=1 1\n"
                                             "class_weights:0.25 0.75\nclasslabels_int64s=0 1\n",
                                       true);
    assert_int_equal(e->n_outputs, 1);
    assert_score(e, 0, 0, 0, 0.25);
    assert_score(e, 0, 1, 0, 0.75);
    assert_score(e, 0, NAN, 0, 0.25);
    ensemble_free(e);
}

/* Tree 0, as onnxmltools writes x1 in {1, 4, 7}: nodes 0, 2 and 5 share the true child, node 1. It
 * tests x0 <= 0.5: 1, else 2. No category: 4. Tree 1: x0 == 3: 8, else x1 == 3: 16, else 32. */
#define CHAIN(features, values, no)                                                                \
    "nodes_treeids=0 0 0 0 0 0 0 1 1 1 1 1\nnodes_nodeids=0 1 2 3 4 5 6 0 1 2 3 4\n"               \
    "nodes_featureids=" features " 0 0 1 0 0\n"                                                    \
    "nodes_modes'BRANCH_EQ BRANCH_LEQ BRANCH_EQ LEAF LEAF BRANCH_EQ LEAF "                         \
    "BRANCH_EQ LEAF BRANCH_EQ LEAF LEAF\n"                                                         \
    "nodes_values:" values " 3 0 3 0 0\nnodes_truenodeids=1 3 1 0 0 1 0 1 0 3 0 0\n"               \
    "nodes_falsenodeids=2 " no " 5 0 0 6 0 2 0 4 0 0\n"                                            \
    "nodes_missing_value_tracks_true=0 1 0 0 0 1 0 0 0 0 0 0\n"                                    \
    "target_treeids=0 0 0 1 1 1\ntarget_nodeids=3 4 6 1 3 4\ntarget_ids=0 0 0 0 0 0\n"             \
    "target_weights:1 2 4 8 16 32\nn_targets#1\n"

static void test_chain_of_categories(void **state) {
    (void)state;
    static const struct {
        float x0, x1;
        double score;
    } rows[] = {{0, 1, 33}, {1, 4, 34},   {0, 7, 33}, {1, 2, 36}, {3, 1, 10},    {0, NAN, 33},
                {1, 3, 20}, {NAN, 7, 33}, {0, 0, 36}, {0, 8, 36}, {0, 3.5F, 36}, {0, INFINITY, 36}};
    struct ensemble *e = read_model_of("TreeEnsembleRegressor",
                                       CHAIN("1 0 1 0 0 1 0", "7 0.5 1 0 0 4 0", "4"), false);
    assert_int_equal(e->n_nodes, 4);
    assert_int_equal(e->set_cut[1] - e->set_cut[0], 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_score(e, rows[i].x0, rows[i].x1, 0, rows[i].score);
    ensemble_free(e);
}

/* --- what is refused -------------------------------------------------------------------------- */

#define LEAF_OF(modes, tail)                                                                       \
    "nodes_treeids=0\nnodes_nodeids=0\nnodes_featureids=0\nnodes_modes'" modes                     \
    "\nnodes_values:0\nnodes_truenodeids=0\nnodes_falsenodeids=0\n" tail
#define WEIGHT "target_treeids=0\ntarget_nodeids=0\ntarget_ids=0\ntarget_weights:1\n"
#define STUMP_OF(ids, feature, value, yes)                                                         \
    "nodes_treeids=0 0 0\nnodes_nodeids=" ids "\nnodes_featureids=" feature " 0 0\n"               \
    "nodes_modes'BRANCH_LEQ LEAF LEAF\nnodes_values:" value " 0 0\nnodes_truenodeids=" yes         \
    " 0 0\nnodes_falsenodeids=2 0 0\ntarget_treeids=0 0\ntarget_nodeids=1 2\ntarget_ids=0 0\n"     \
    "target_weights:1 2\n"

static void test_bad_attributes(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name: the model has no trees"},
        {LEAF_OF("BRANCH_IN", WEIGHT),
         "name: nodes_modes: value 0 is 'BRANCH_IN', expected LEAF, BRANCH_LEQ, BRANCH_LT, "
         "BRANCH_GTE, BRANCH_GT, BRANCH_EQ or BRANCH_NEQ"},
        {LEAF_OF("LEAF LEAF", WEIGHT), "name: nodes_modes: length is 2, expected 1"},
        {LEAF_OF("LEAF", WEIGHT "target_ids=0"), "name: target_ids: duplicate attribute"},
        {LEAF_OF("LEAF", ""), "name: tree 0, node 0: expected one finite weight for output 0"},
        {LEAF_OF("LEAF", "target_treeids=0 0\ntarget_nodeids=0 0\ntarget_ids=0 0\n"
                         "target_weights:1 2\n"),
         "name: tree 0, node 0: expected one finite weight for output 0"},
        {LEAF_OF("LEAF", WEIGHT "n_targets#0"), "name: n_targets: 0 is out of range (1 to"},
        {LEAF_OF("LEAF", WEIGHT "n_targets#4294967297"),
         "name: n_targets: 4294967297 is out of range (1 to"},
        {LEAF_OF("LEAF", WEIGHT "base_values:1 2"), "name: base_values: length is 2, expected"},
        {LEAF_OF("LEAF", WEIGHT "base_values:inf"), "name: base_values: values must be finite"},
        {LEAF_OF("LEAF", WEIGHT "aggregate_function$MIN"), "name: aggregate_function: expected"},
        {LEAF_OF("LEAF", WEIGHT "nodes_values_as_tensor&0"),
         "name: nodes_values: duplicate attribute"},
        {LEAF_OF("LEAF", WEIGHT "base_values_as_tensor&0"),
         "name: trees with double thresholds must have double inputs"},
        {LEAF_OF("LEAF", "target_treeids=0\ntarget_nodeids=1\ntarget_ids=0\ntarget_weights:1\n"),
         "name: tree 0, node 1: has a weight, but does not exist"},
        {LEAF_OF("LEAF", "target_treeids=0\ntarget_nodeids=0\ntarget_ids=1\ntarget_weights:1\n"),
         "name: target_ids: entry 1 is 1, but must be less than 1"},
        {LEAF_OF("LEAF", "target_treeids=0\ntarget_nodeids=0\ntarget_ids=0\ntarget_weights:nan\n"),
         "name: tree 0, node 0: expected one finite weight for output"},
        {STUMP "target_treeids=0\ntarget_nodeids=0\ntarget_ids=0\ntarget_weights:1\n",
         "name: tree 0, node 0: has a weight, but is not a leaf"},
        {STUMP_OF("0 2 1", "0", "1", "1"), "name: row 1 of the nodes is node 2 of tree 0"},
        {STUMP_OF("0 1 2", "4294967296", "1", "1"),
         "name: nodes_featureids: value 0 must be from 0 to 4294967295"},
        {STUMP_OF("0 1 2", "0", "nan", "1"),
         "name: tree 0, node 0: value nan cannot be a threshold"},
        {STUMP_OF("0 1 2", "0", "1", "0"), "name: tree 0, node 0: children 0 and 2"},
        {STUMP_OF("0 1 2", "0", "1", "3"), "name: tree 0, node 0: children 3 and 2"},
        {STUMP_OF("0 1 2", "0", "1", "2"), "name: tree 0, node 2: is the child of 2 nodes"},
        {CHAIN("1 0 0 0 0 0 0", "1 0 4 0 0 7 0", "4"),
         "name: tree 0, node 1: is the child of 2 nodes"},
        {CHAIN("1 0 1 0 0 1 0", "1 0 4 0 0 7 0", "2"),
         "name: tree 0, node 1: is the child of 2 nodes"},
        {CHAIN("1 0 1 0 0 1 0", "1 0 nan 0 0 7 0", "4"),
         "name: tree 0, node 1: is the child of 3 nodes"},
        {"nodes_treeids=0 0 0\nnodes_nodeids=0 1 2\nnodes_featureids=0 0 0\n"
         "nodes_modes'BRANCH_EQ BRANCH_EQ LEAF\nnodes_values:1 2 0\n"
         "nodes_truenodeids=90 90 0\nnodes_falsenodeids=1 2 0\n" WEIGHT,
         "name: tree 0, node 0: children 90 and 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bytes model = model_of("TreeEnsembleRegressor", "X", bad[i].text, false);
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_int_not_equal(read_copy("onnx", model.data, model.size, &e, &error), STATUS_OK);
        assert_null(e);
        if (strncmp(error.text, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, bad[i].expected);
    }
}

static void assert_graph_refused(const char *operator, const char * input, const char *expected) {
    struct bytes model = model_of(operator, input, REGRESSOR, false);
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_int_not_equal(read_copy("onnx", model.data, model.size, &e, &error), STATUS_OK);
    assert_memory_equal(error.text, expected, strlen(expected));
}

static void test_bad_graphs(void **state) {
    (void)state;
    assert_graph_refused("Scaler", "X",
                         "name: the graph has no node TreeEnsembleRegressor, "
                         "TreeEnsembleClassifier or TreeEnsemble");
    assert_graph_refused("TreeEnsembleRegressor", "Y",
                         "name: the input of the trees must come from an input of the graph");
    static const struct bad_text bad[] = {
        {"", "name: the ONNX model has no graph"},
        {"\10\10", "name: the ONNX model has no graph"},
        {"\10", "name: byte 0: a number does not end"},
        {"\1", "name: byte 0: expected the number of a protobuf field"},
        {"\72\377", "name: byte 0: a length does not end"},
        {"\72\5ab", "name: byte 0: a field exceeds the message that contains it"},
        {"\73", "name: byte 0: a protobuf field has an unknown type"},
        {"\72\2\12\1", "name: byte 2: a field exceeds the message that contains it"},
    };
    assert_refused("onnx", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    struct bytes model = model_of("TreeEnsembleRegressor", "X", REGRESSOR, true);
    for (size_t size = 0; size < model.size; size++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_int_not_equal(read_copy("onnx", model.data, size, &e, &error), STATUS_OK);
        assert_memory_equal(error.text, "name:", 5);
    }
}

/* --- real models ------------------------------------------------------------------------------ */

static void check_real(const char *model, const char *csv, bool logistic) {
    char model_file[256], rows_file[256];
    snprintf(model_file, sizeof model_file, "models/%s", model);
    snprintf(rows_file, sizeof rows_file, "tabular/%s", csv);
    struct ensemble *e = real_model(model_file);
    struct matrix *rows = real_documents(rows_file, "last");
    double largest = 0;
    for (size_t row = 0; row < rows->n_rows; row++) {
        double score = score_by_walking(e, matrix_row(rows, row), 0);
        if (logistic)
            score = 1 / (1 + exp(-(score - e->base[0])));
        double expected = (double)rows->labels[row];
        largest = fmax(largest, fabs(score - expected) / fmax(fabs(expected), 1));
    }
    print_message("%s: %u trees, %zu rows, largest relative difference %.2g\n", model, e->n_trees,
                  rows->n_rows, largest);
    assert_int_equal(rows->n_rows, 2000);
    assert_true(largest < 1e-5);
    matrix_free(rows);
    ensemble_free(e);
}

static void test_abalone(void **state) {
    (void)state;
    check_real("abalone_onnx_model_save.onnx.gz", "abalone.test2000.with_xgb_prediction.csv.gz",
               false);
}

/* XGBoost's base score of 0.5 is a probability, which is a margin of 0. The converter wrote it
 * unchanged, so the model in the file scores 0.5 more than the one that made the predictions. */
static void test_higgs(void **state) {
    (void)state;
    check_real("higgs_xgb_model_save.onnx.gz", "higgs.test2000.with_xgb_prediction.csv.gz", true);
}

/* --- growth ----------------------------------------------------------------------------------- */

enum { CHAIN = 150 };

/* The rows of the chain: nodes at even rows, each followed by a leaf, and a last leaf. */
static uint64_t chain_item(const char *name, uint64_t row) {
    if (strcmp(name, "nodes_nodeids") == 0 || strcmp(name, "target_ids") == 0)
        return row;
    if (strcmp(name, "target_nodeids") == 0)
        return 2 * CHAIN;
    if (strstr(name, "true") || strstr(name, "false"))
        return row % 2 || row == 2 * CHAIN ? 0 : row + (strstr(name, "true") ? 1 : 2);
    return 0;
}

static void put_chain_list(struct bytes *node, const char *name, uint64_t rows) {
    struct bytes attribute = {.size = 0}, list = {.size = 0};
    put_text(&attribute, 1, name);
    for (uint64_t row = 0; row < rows; row++)
        put_varint(&list, chain_item(name, row));
    put_bytes(&attribute, 8, list.data, list.size);
    put_bytes(node, 5, attribute.data, attribute.size);
}

static void put_chain_modes(struct bytes *node) {
    struct bytes attribute = {.size = 0};
    put_text(&attribute, 1, "nodes_modes");
    for (uint64_t row = 0; row <= 2 * CHAIN; row++)
        put_text(&attribute, 9, row % 2 || row == 2 * CHAIN ? "LEAF" : "BRANCH_LT");
    put_bytes(node, 5, attribute.data, attribute.size);
}

static void put_chain_floats(struct bytes *node, const char *name, size_t rows) {
    float ones[2 * CHAIN + 1] = {0};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1;
    struct bytes attribute = {.size = 0};
    put_text(&attribute, 1, name);
    put_bytes(&attribute, 7, ones, rows * sizeof *ones);
    put_bytes(node, 5, attribute.data, attribute.size);
}

/* The last leaf of the chain has a weight for each output, so every output needs the whole
 * chain. */
static void test_chain_of_many_outputs(void **state) {
    (void)state;
    static const char *const of_nodes[] = {"nodes_treeids", "nodes_nodeids", "nodes_featureids",
                                           "nodes_truenodeids", "nodes_falsenodeids"};
    static const char *const of_weights[] = {"target_treeids", "target_nodeids", "target_ids"};
    struct bytes node = {.size = 0}, graph = {.size = 0}, value = {.size = 0}, model = {.size = 0};
    put_text(&node, 1, "X");
    put_text(&node, 4, "TreeEnsembleRegressor");
    for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
        put_chain_list(&node, of_nodes[i], 2 * CHAIN + 1);
    for (size_t i = 0; i < sizeof of_weights / sizeof *of_weights; i++)
        put_chain_list(&node, of_weights[i], CHAIN);
    put_chain_modes(&node);
    put_chain_floats(&node, "nodes_values", 2 * CHAIN + 1);
    put_chain_floats(&node, "target_weights", CHAIN);
    put_attribute(&node, "n_targets#150", true);
    put_bytes(&graph, 1, node.data, node.size);
    put_text(&value, 1, "X");
    put_bytes(&graph, 11, value.data, value.size);
    put_bytes(&model, 7, graph.data, graph.size);
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_int_equal(read_copy("onnx", model.data, model.size, &e, &error), STATUS_UNSUPPORTED);
    assert_null(e);
    assert_non_null(strstr(error.text, "name: tree 0: the trees of all outputs have more than"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regressor),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_two_classes_with_weights_of_one),
        cmocka_unit_test(test_chain_of_categories),
        cmocka_unit_test(test_bad_attributes),
        cmocka_unit_test(test_bad_graphs),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_abalone),
        cmocka_unit_test(test_higgs),
        cmocka_unit_test(test_chain_of_many_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
