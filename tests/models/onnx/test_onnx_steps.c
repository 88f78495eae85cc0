/* ONNX: nodes before the trees are folded into the thresholds, exactly. The operator
 * TreeEnsemble. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/models/onnx/onnx_file.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

static struct ensemble *read_graph(const struct bytes *graph) {
    struct bytes model = model_of_graph(graph);
    struct ensemble *e = NULL;
    struct error error = {""};
    if (read_copy("onnx", model.data, model.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void assert_graph_refused(const struct bytes *graph, const char *expected) {
    struct bytes model = model_of_graph(graph);
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_int_not_equal(read_copy("onnx", model.data, model.size, &e, &error), STATUS_OK);
    assert_null(e);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("'%s' does not begin with '%s'", error.text, expected);
}

/* --- one test of one feature ------------------------------------------------------------------ */

/* A tree that returns 1 if the test of feature 1 of `input` holds, and 0 if not. */
static void put_stump(struct bytes *graph, const char *input, const char *mode, float value,
                      bool missing) {
    char attributes[1024];
    snprintf(attributes, sizeof attributes,
             "nodes_treeids=0 0 0\nnodes_nodeids=0 1 2\nnodes_featureids=1 0 0\n"
             "nodes_modes'%s LEAF LEAF\nnodes_values:%.9g 0 0\nnodes_truenodeids=1 0 0\n"
             "nodes_falsenodeids=2 0 0\nnodes_missing_value_tracks_true=%d 0 0\n"
             "target_treeids=0 0\ntarget_nodeids=1 2\ntarget_ids=0 0\ntarget_weights:1 0\n"
             "n_targets#1\n",
             mode, (double)value, missing);
    put_node(graph, "TreeEnsembleRegressor", input, NULL, "scores", attributes, true);
}

static bool compare(const char *mode, float y, float value, bool missing) {
    if (strcmp(mode, "BRANCH_NEQ") == 0) /* holds for NaN too */
        return y != value;
    if (isnan(y))
        return missing;
    if (strcmp(mode, "BRANCH_LEQ") == 0)
        return y <= value;
    if (strcmp(mode, "BRANCH_LT") == 0)
        return y < value;
    if (strcmp(mode, "BRANCH_EQ") == 0)
        return y == value;
    return strcmp(mode, "BRANCH_GTE") == 0 ? y >= value : y > value;
}

/* Nodes before the trees, in ONNX and in C. */
struct chain {
    const char *name;
    void (*put)(struct bytes *graph); /* from X to "trees" */
    float (*make)(float x);
};

static void put_scaler(struct bytes *g) {
    put_node(g, "Scaler", "X", NULL, "trees", "offset:9 0.1\nscale:9 3.3\n", true);
}
static float make_scaled(float x) {
    return (x - 0.1F) * 3.3F;
}

static void put_reversed(struct bytes *g) {
    put_node(g, "Scaler", "X", NULL, "trees", "offset:1e-3\nscale:-0.7\n", false);
}
static float make_reversed(float x) {
    return (x - 1e-3F) * -0.7F;
}

static void put_tiny(struct bytes *g) {
    put_node(g, "Scaler", "X", NULL, "trees", "offset:1\nscale:1e-42\n", false);
}
static float make_tiny(float x) {
    return (x - 1) * 1e-42F;
}

static void put_arithmetic(struct bytes *g) {
    put_constant(g, "m", "1 7", TENSOR_FLOATS, 2);
    put_constant(g, "d", "0.3", TENSOR_FLOATS, 1);
    put_constant(g, "a", "1 0.25", TENSOR_FLOATS, 2);
    put_constant(g, "s", "5", TENSOR_FLOATS, 0);
    put_node(g, "Mul", "m", "X", "multiplied", "", false);
    put_node(g, "Div", "multiplied", "d", "divided", "", false);
    put_node(g, "Add", "divided", "a", "added", "", false);
    put_node(g, "Sub", "added", "s", "trees", "", false);
}
static float make_arithmetic(float x) {
    float y = 7 * x;
    y = y / 0.3F;
    y = y + 0.25F;
    return y - 5;
}

static void put_imputer(struct bytes *g) {
    put_node(g, "Imputer", "X", NULL, "imputed",
             "imputed_value_floats:1 0.5\nreplaced_value_float%nan\n", true);
    put_node(g, "Identity", "imputed", NULL, "same", "", false);
    put_node(g, "Cast", "same", NULL, "cast", "to#1\n", false);
    put_node(g, "Scaler", "cast", NULL, "trees", "offset:0.25\nscale:2\n", true);
}
static float make_imputed(float x) {
    return ((isnan(x) ? 0.5F : x) - 0.25F) * 2;
}

static void put_binarizer(struct bytes *g) {
    put_node(g, "Binarizer", "X", NULL, "trees", "threshold%0.75\n", true);
}
static float make_binary(float x) {
    return x > 0.75F ? 1 : 0;
}

static const struct chain chains[] = {
    {"Scaler", put_scaler, make_scaled},    {"reversed", put_reversed, make_reversed},
    {"tiny", put_tiny, make_tiny},          {"arithmetic", put_arithmetic, make_arithmetic},
    {"Imputer", put_imputer, make_imputed}, {"Binarizer", put_binarizer, make_binary},
};

static float any_float(struct random *random) {
    for (;;) {
        uint32_t bits = (uint32_t)random_u64(random);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (!isnan(x))
            return random_below(random, 2) ? x : 4 * random_float(random) - 2;
    }
}

static void assert_says(const struct ensemble *e, const struct chain *chain, const char *mode,
                        float value, bool missing, float x) {
    const float document[] = {0, x};
    bool expected = compare(mode, chain->make(x), value, missing);
    if (score_by_walking(e, document, 0) != (double)expected)
        fail_msg("%s, %s %.9g: x = %.9g should be %d", chain->name, mode, (double)value, (double)x,
                 expected);
}

/* Checks every float near the threshold, and others. */
static void test_folded_tests_are_exact(void **state) {
    (void)state;
    static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"};
    struct random random;
    random_seed(&random, 4);
    for (size_t i = 0; i < 600; i++) {
        const struct chain *chain = &chains[i % (sizeof chains / sizeof *chains)];
        const char *mode = modes[random_below(&random, 4)];
        bool missing = random_below(&random, 2);
        float value =
            random_below(&random, 4) ? chain->make(any_float(&random)) : any_float(&random);
        if (isnan(value))
            continue;
        struct bytes graph = {.size = 0};
        put_input(&graph, TENSOR_FLOATS, 2);
        chain->put(&graph);
        put_stump(&graph, "trees", mode, value, missing);
        struct ensemble *e = read_graph(&graph);
        float low = e->threshold[0], high = low;
        for (int step = 0; step < 50; step++) {
            assert_says(e, chain, mode, value, missing, low);
            assert_says(e, chain, mode, value, missing, high);
            assert_says(e, chain, mode, value, missing, any_float(&random));
            low = nextafterf(low, -INFINITY);
            high = nextafterf(high, INFINITY);
        }
        const float others[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0, -0.0F};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            assert_says(e, chain, mode, value, missing, others[k]);
        ensemble_free(e);
    }
}

static float same(float x) {
    return x;
}

static void test_equality(void **state) {
    (void)state;
    static const char *const modes[] = {"BRANCH_EQ", "BRANCH_NEQ"};
    static const struct chain none = {"none", NULL, same};
    const float values[] = {3, 0, -0.0F, 0.1F, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, 1e-45F};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct bytes graph = {.size = 0};
            float value = values[i];
            put_input(&graph, TENSOR_FLOATS, 2);
            put_stump(&graph, "X", modes[kind % 2], value, kind / 2);
            struct ensemble *e = read_graph(&graph);
            const float xs[] = {value,
                                nextafterf(value, INFINITY),
                                nextafterf(value, -INFINITY),
                                NAN,
                                INFINITY,
                                -INFINITY,
                                0,
                                -0.0F,
                                5,
                                -FLT_MAX,
                                FLT_MAX,
                                1.5F};
            for (size_t k = 0; k < sizeof xs / sizeof *xs; k++)
                assert_says(e, &none, modes[kind % 2], value, kind / 2, xs[k]);
            ensemble_free(e);
        }
}

static void refuse(const char *operator, const char * second, const char *attributes, int type,
                   const char *expected) {
    struct bytes graph = {.size = 0};
    put_input(&graph, type, 2);
    put_constant(&graph, "rows", "1 2 3 4", TENSOR_FLOATS, 4);
    put_constant(&graph, "doubles", "1 2", TENSOR_DOUBLES, 2);
    put_constant(&graph, "zeros", "0 0", TENSOR_FLOATS, 2);
    put_node(&graph, operator, "X", second, "trees", attributes, true);
    put_stump(&graph, "trees", "BRANCH_LEQ", 1, false);
    assert_graph_refused(&graph, expected);
}

static void test_what_cannot_be_folded(void **state) {
    (void)state;
    refuse("Normalizer", NULL, "norm$L2\n", TENSOR_FLOATS,
           "name: the node 'its-name' (Normalizer) before the trees does more than change each "
           "feature on its own");
    refuse("Imputer", NULL, "imputed_value_floats:1\n", TENSOR_FLOATS,
           "name: the node 'its-name' (Imputer) before the trees replaces a value other than NaN");
    refuse("Cast", NULL, "to#11\n", TENSOR_FLOATS,
           "name: the node 'its-name' (Cast) before the trees converts to a type other than float");
    refuse("Add", "X", "", TENSOR_FLOATS,
           "name: the node 'its-name' (Add) before the trees has two inputs that are not constant");
    static const char *const constant_first[] = {"Sub", "Div"};
    for (size_t i = 0; i < 2; i++) {
        char expected[128];
        struct bytes first = {.size = 0};
        put_input(&first, TENSOR_FLOATS, 2);
        put_constant(&first, "c", "1", TENSOR_FLOATS, 1);
        put_node(&first, constant_first[i], "c", "X", "trees", "", false);
        put_stump(&first, "trees", "BRANCH_LEQ", 1, false);
        snprintf(
            expected, sizeof expected,
            "name: the node 'its-name' (%s) before the trees has a constant as its first input",
            constant_first[i]);
        assert_graph_refused(&first, expected);
    }
    refuse("Add", "doubles", "", TENSOR_FLOATS,
           "name: the node 'its-name' (Add) before the trees does not compute in float32");
    refuse("Add", "rows", "", TENSOR_FLOATS,
           "name: a node before the trees has 4 numbers, but the number of features is 2");
    refuse("Scaler", NULL, "offset:1 2\n", TENSOR_FLOATS,
           "name: a node before the trees has 0 numbers, but the number of features is 2");
    refuse("Scaler", NULL, "offset:1\nscale:2\n", TENSOR_DOUBLES,
           "name: the operators before the trees do not compute in float32");
    refuse("Div", "zeros", "", TENSOR_FLOATS,
           "name: the operators before the trees turn some values of feature 1 into NaN");
    refuse("Scaler", NULL, "offset:0\nscale:inf\n", TENSOR_FLOATS,
           "name: the operators before the trees turn some values of feature 1 into NaN");
    struct bytes equality = {.size = 0};
    put_input(&equality, TENSOR_FLOATS, 2);
    put_scaler(&equality);
    put_stump(&equality, "trees", "BRANCH_EQ", 1, false);
    assert_graph_refused(&equality, "name: tests of categories (BRANCH_EQ, BRANCH_NEQ,");
    struct bytes graph = {.size = 0}; /* infinity * 0 */
    put_input(&graph, TENSOR_FLOATS, 2);
    put_node(&graph, "Scaler", "X", NULL, "large", "offset:0\nscale:1e30\n", true);
    put_node(&graph, "Scaler", "large", NULL, "trees", "offset:0\nscale:0\n", true);
    put_stump(&graph, "trees", "BRANCH_LEQ", 1, false);
    assert_graph_refused(&graph,
                         "name: the operators before the trees turn some values of feature");
}

/* Doubles that are cast to float32 match the documents, which are float32. */
static void test_cast_of_doubles(void **state) {
    (void)state;
    struct bytes graph = {.size = 0};
    put_input(&graph, TENSOR_DOUBLES, 2);
    put_node(&graph, "Cast", "X", NULL, "cast", "to#1\n", false);
    put_node(&graph, "Scaler", "cast", NULL, "trees", "offset:1\nscale:2\n", true);
    put_stump(&graph, "trees", "BRANCH_LEQ", 1, false);
    struct ensemble *e = read_graph(&graph);
    assert_true(e->threshold[0] == 1.5F);
    ensemble_free(e);
}

/* --- TreeEnsemble ----------------------------------------------------------------------------- */

/* x0 <= 0.5: 1, else x1 < 2: 2, else 4; x0 > 3 (NaN: true): 8, else 16; a leaf of 32. */
#define NODES(modes)                                                                               \
    "tree_roots=0 2 3\nnodes_featureids=0 1 0 0\nnodes_modes!" modes "\n"                          \
    "nodes_truenodeids=0 1 3 5\nnodes_trueleafs=1 1 1 1\n"                                         \
    "nodes_falsenodeids=1 2 4 5\nnodes_falseleafs=0 1 1 1\n"                                       \
    "nodes_missing_value_tracks_true=0 0 1 0\n"
#define LEAVES "leaf_targetids=0 0 0 0 0 0\nleaf_weights~1 2 4 8 16 32\n"
#define ENSEMBLE NODES("0 1 3 0") "nodes_splits~0.5 2 3 0\n" LEAVES "n_targets#1\n"

static struct ensemble *read_ensemble(const char *attributes, bool packed) {
    struct bytes model = model_of("TreeEnsemble", "X", attributes, packed);
    struct ensemble *e = NULL;
    struct error error = {""};
    if (read_copy("onnx", model.data, model.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void test_tree_ensemble(void **state) {
    (void)state;
    static const struct {
        float x[2];
        double score;
    } rows[] = {
        {{0.5F, 9}, 49}, {{0.75F, 1.5F}, 50}, {{3, 2}, 52}, {{3.5F, 2}, 44}, {{NAN, 2}, 44}};
    for (int packed = 0; packed < 2; packed++) {
        struct ensemble *e = read_ensemble(ENSEMBLE, packed);
        struct ensemble *average = read_ensemble(ENSEMBLE "aggregate_function#0\n", packed);
        assert_int_equal(e->n_trees, 3);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
            assert_true(fabs(score_by_walking(average, rows[i].x, 0) - rows[i].score / 3) < 1e-12);
        }
        ensemble_free(e);
        ensemble_free(average);
    }
}

static void test_tree_ensemble_of_several_targets(void **state) {
    (void)state;
    struct ensemble *e =
        read_ensemble(NODES("0 1 3 0") "nodes_splits~0.5 2 3 0\n"
                                       "leaf_targetids=0 0 0 1 1 2\nleaf_weights~1 2 4 8 16 32\n"
                                       "n_targets#3\n",
                      true);
    const float x[] = {1, 1};
    assert_int_equal(e->n_outputs, 3);
    assert_true(score_by_walking(e, x, 0) == 2);
    assert_true(score_by_walking(e, x, 1) == 16);
    assert_true(score_by_walking(e, x, 2) == 32);
    ensemble_free(e);
}

/* x0 in {1, 2.5}: 1, else x0 in {}: 2, else x0 == 7: 4, else 8. For NaN, the second node's test
 * holds. */
static void test_members(void **state) {
    (void)state;
    static const char *const sets[] = {"membership_values~2.5 1 2.5 nan nan\n",
                                       "membership_values~1 2.5 nan nan 9 9 9 nan\n"};
    static const struct {
        float x, score;
    } rows[] = {{1, 1}, {2.5F, 1}, {1.5F, 8}, {0, 8}, {7, 4}, {8, 8}, {NAN, 2}, {INFINITY, 8}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "tree_roots=0\nnodes_featureids=0 0 0\nnodes_modes!6 6 4\nnodes_splits~0 0 7\n"
                 "nodes_truenodeids=0 1 2\nnodes_trueleafs=1 1 1\nnodes_falsenodeids=1 2 3\n"
                 "nodes_falseleafs=0 0 1\nnodes_missing_value_tracks_true=0 1 0\n"
                 "leaf_targetids=0 0 0 0\nleaf_weights~1 2 4 8\n%s",
                 sets[i]);
        struct ensemble *e = read_ensemble(text, true);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (score_by_walking(e, &rows[k].x, 0) != (double)rows[k].score)
                fail_msg("x = %g: %g", (double)rows[k].x, score_by_walking(e, &rows[k].x, 0));
        ensemble_free(e);
    }
}

/* x0 in {}: 1, else x0 in {1, 2.5}: 2, else 4. onnxruntime needs no NaN after the last set. */
static void test_members_without_a_last_nan(void **state) {
    (void)state;
    struct ensemble *e =
        read_ensemble("tree_roots=0\nnodes_featureids=0 0\nnodes_modes!6 6\nnodes_splits~0 0\n"
                      "nodes_truenodeids=0 1\nnodes_trueleafs=1 1\nnodes_falsenodeids=1 2\n"
                      "nodes_falseleafs=0 1\nleaf_targetids=0 0 0\nleaf_weights~1 2 4\n"
                      "membership_values~nan 1 2.5\n",
                      true);
    static const float rows[][2] = {{1, 2}, {2.5F, 2}, {2, 4}, {NAN, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, &rows[i][0], 0) == (double)rows[i][1]);
    ensemble_free(e);
}

/* Trees with double inputs compare doubles. Weights are not rounded. */
static void test_doubles(void **state) {
    (void)state;
    static const char *const attributes[] = {
        "tree_roots=0\nnodes_featureids=0\nnodes_modes!1\nnodes_splits&0.1\nnodes_truenodeids=0\n"
        "nodes_trueleafs=1\nnodes_falsenodeids=1\nnodes_falseleafs=1\nleaf_targetids=0 0\n"
        "leaf_weights&0.1 0.2\n",
        "nodes_treeids=0 0 0\nnodes_nodeids=0 1 2\nnodes_featureids=0 0 0\n"
        "nodes_modes'BRANCH_LT LEAF LEAF\nnodes_values_as_tensor&0.1 0 0\n"
        "nodes_truenodeids=1 0 0\nnodes_falsenodeids=2 0 0\ntarget_treeids=0 0\n"
        "target_nodeids=1 2\ntarget_ids=0 0\ntarget_weights_as_tensor&0.1 0.2\nn_targets#1\n"};
    for (size_t i = 0; i < 2; i++) {
        struct bytes graph = {.size = 0};
        put_input(&graph, TENSOR_DOUBLES, 1);
        put_node(&graph, i ? "TreeEnsembleRegressor" : "TreeEnsemble", "X", NULL, "scores",
                 attributes[i], true);
        struct ensemble *e = read_graph(&graph);
        assert_non_null(e->threshold_double);
        assert_true(e->threshold_double[0] == nextafter(0.1, 0));
        assert_true(e->value[0] == 0.1 && e->value[1] == 0.2);
        ensemble_free(e);
    }
    struct bytes graph = {.size = 0}; /* thresholds are floats, but the inputs are not */
    put_input(&graph, TENSOR_DOUBLES, 2);
    put_stump(&graph, "X", "BRANCH_LT", 0.1F, false);
    struct ensemble *e = read_graph(&graph);
    assert_non_null(e->threshold_double);
    assert_true(e->threshold_double[0] == nextafter((double)0.1F, 0));
    ensemble_free(e);
    struct bytes other = {.size = 0};
    put_input(&other, TENSOR_FLOATS, 2);
    put_node(&other, "TreeEnsemble", "X", NULL, "scores", attributes[0], true);
    assert_graph_refused(&other, "name: trees with double thresholds must have double inputs");
}

static void test_bad_tree_ensembles(void **state) {
    (void)state;
#define ONE(yes, no, leaf)                                                                         \
    "tree_roots=0\nnodes_featureids=0\nnodes_modes!0\nnodes_splits~1\nnodes_truenodeids=" yes      \
    "\nnodes_trueleafs=" leaf "\nnodes_falsenodeids=" no "\nnodes_falseleafs=1\n"                  \
    "leaf_targetids=0 0\nleaf_weights~1 2\nn_targets#1\n"
    static const struct bad_text bad[] = {
        {"", "name: the model has no trees"},
        {ONE("0", "2", "1"), "name: tree 0: leaf 2 does not exist"},
        {ONE("5", "5", "1"), "name: tree 0: leaf 5 does not exist"},
        {ONE("0", "1", "0"), "name: tree 0: node 0 is the child of two nodes"},
        {ONE("0", "1", "1") "tree_roots=0\n", "name: tree_roots: duplicate attribute"},
        {ONE("0", "1", "1") "aggregate_function#2\n", "name: aggregate_function: expected 0"},
        {ONE("0", "1", "1") "nodes_missing_value_tracks_true=0 0\n",
         "name: nodes_missing_value_tracks_true: length is 2, expected 1"},
        {NODES("0 1 3") "nodes_splits~0.5 2 3 0\n" LEAVES,
         "name: nodes_modes: length is 3, expected"},
        {NODES("0 1 7 0") "nodes_splits~0.5 2 3 0\n" LEAVES, "name: nodes_modes: value 2 is 7"},
        {NODES("0 1 6 0") "nodes_splits~0.5 2 3 0\n" LEAVES,
         "name: membership_values: found 0 sets, expected 1"},
        {NODES("0 1 3 0") "nodes_splits~0.5 2 nan 0\n" LEAVES,
         "name: tree 1, node 0: value nan cannot be a threshold"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bytes graph = {.size = 0};
        put_input(&graph, TENSOR_FLOATS, 2);
        put_node(&graph, "TreeEnsemble", "X", NULL, "scores", bad[i].text, true);
        assert_graph_refused(&graph, bad[i].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_tests_are_exact),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_what_cannot_be_folded),
        cmocka_unit_test(test_cast_of_doubles),
        cmocka_unit_test(test_tree_ensemble),
        cmocka_unit_test(test_tree_ensemble_of_several_targets),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_members_without_a_last_nan),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_bad_tree_ensembles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
