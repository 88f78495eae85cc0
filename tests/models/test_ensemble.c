/* The builder: what it rejects, and its canonical form. */
#include "base/order.h"
#include "models/ensemble.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- trees as tables -------------------------------------------------------------------------- */

struct test_node {
    char kind; /* 'i' inner, 'l' leaf; 0 ends a tree */
    uint32_t left, right;
    uint32_t feature;
    float threshold;
    double value;
};
#define INNER(l, r)                                                                                \
    { 'i', l, r, 0, 0.5F, 0 }
#define SPLIT(f, t, l, r)                                                                          \
    { 'i', l, r, f, t, 0 }
#define LEAF(v)                                                                                    \
    { 'l', 0, 0, 0, 0, v }

static void add_tree(struct ensemble_builder *b, uint32_t output, const struct test_node *node) {
    ensemble_builder_add_tree(b, output);
    for (; node->kind; node++) {
        if (node->kind == 'i')
            ensemble_builder_add_inner(b, &(struct inner_node){.feature = node->feature,
                                                               .threshold = node->threshold,
                                                               .left = node->left,
                                                               .right = node->right,
                                                               .count = ENSEMBLE_NO_COUNT});
        else
            ensemble_builder_add_leaf(b, node->value, ENSEMBLE_NO_COUNT);
    }
}

static const struct test_node stump[] = {INNER(1, 2), LEAF(1), LEAF(2), {0}};

struct bad_tree {
    const char *what;
    struct test_node nodes[8];
    const char *expected; /* the tree is the second one, after a valid tree */
};

static const struct bad_tree bad_trees[] = {
    {"no node", {{0}}, "tree 1: the tree is empty"},
    {"child out of range",
     {INNER(1, 3), LEAF(0), LEAF(0)},
     "tree 1, node 0: its child 3 does not exist (the tree's nodes are 0 to 2)"},
    {"child far out of range",
     {INNER(1, UINT32_MAX), LEAF(0), LEAF(0)},
     "tree 1, node 0: its child 4294967295 does not exist (the tree's nodes are 0 to"},
    {"only inner nodes", {INNER(1, 2), INNER(3, 4), INNER(5, 6)}, "tree 1, node 1: its child 3"},
    {"root its own child", {INNER(0, 1), LEAF(0)}, "tree 1, node 0: the node is its own child"},
    {"node its own child",
     {INNER(1, 2), INNER(1, 3), LEAF(0), LEAF(0)},
     "tree 1, node 1: the node is its own child"},
    {"cycle through the root",
     {INNER(1, 2), INNER(3, 0), LEAF(0), LEAF(0)},
     "tree 1, node 1: its child is the root, which makes a cycle"},
    {"cycle apart from the root",
     {LEAF(0), INNER(2, 3), INNER(1, 4), LEAF(0), LEAF(0)},
     "tree 1, node 1: the node cannot be reached from the root"},
    {"cycle below the root",
     {INNER(1, 2), INNER(3, 4), LEAF(0), INNER(1, 5), LEAF(0), LEAF(0)},
     "tree 1, node 3: its child 1 is already a child of node 0"},
    {"same child twice",
     {INNER(1, 1), LEAF(0)},
     "tree 1, node 0: its child 1 is already a child of node 0"},
    {"shared child",
     {INNER(1, 2), INNER(3, 4), INNER(4, 5), LEAF(0), LEAF(0), LEAF(0)},
     "tree 1, node 2: its child 4 is already a child of node 1"},
    {"unreachable leaf",
     {INNER(1, 2), LEAF(0), LEAF(0), LEAF(0)},
     "tree 1, node 3: the node cannot be reached from the root"},
    {"feature out of range",
     {SPLIT(5, 0, 1, 2), LEAF(0), LEAF(0)},
     "tree 1, node 0: feature 5 is out of range (0 to 4)"},
    {"NaN threshold",
     {SPLIT(0, NAN, 1, 2), LEAF(0), LEAF(0)},
     "tree 1, node 0: the threshold is NaN"},
    {"infinite leaf",
     {INNER(1, 2), LEAF(0), LEAF(INFINITY)},
     "tree 1, node 2: the value of a leaf must be finite"},
    {"NaN leaf", {LEAF(NAN)}, "tree 1, node 0: the value of a leaf must be finite"},
};

static enum status build_one(const struct test_node *nodes, uint32_t output,
                             struct ensemble **ensemble, struct error *error) {
    struct ensemble_builder *b = ensemble_builder_create();
    assert_non_null(b);
    add_tree(b, 0, stump);
    add_tree(b, output, nodes);
    const struct ensemble_shape shape = {.n_features = 5, .n_outputs = 2};
    return ensemble_builder_finish(b, &shape, ensemble, error);
}

static void assert_begins(const char *text, const char *expected) {
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, expected);
}

static void test_malformed_trees_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_trees / sizeof *bad_trees; i++) {
        struct ensemble *ensemble = NULL;
        struct error error = {""};
        assert_int_equal(build_one(bad_trees[i].nodes, 0, &ensemble, &error), STATUS_INPUT);
        assert_null(ensemble);
        assert_begins(error.text, bad_trees[i].expected);
    }
}

static void test_output_out_of_range(void **state) {
    (void)state;
    struct ensemble *ensemble = NULL;
    struct error error;
    assert_int_equal(build_one(stump, 2, &ensemble, &error), STATUS_INPUT);
    assert_begins(error.text, "tree 1: output 2 is out of range (0 to 1)");
}

static void test_empty_ensemble(void **state) {
    (void)state;
    struct ensemble *ensemble = NULL;
    struct error error;
    assert_int_equal(ensemble_builder_finish(ensemble_builder_create(), &(struct ensemble_shape){0},
                                             &ensemble, &error),
                     STATUS_INPUT);
    assert_begins(error.text, "the model has no trees");
}

static void test_node_before_tree_is_sticky(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_leaf(b, 1, 1);
    add_tree(b, 0, stump);
    struct ensemble *ensemble = NULL;
    struct error error;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &ensemble, &error),
                     STATUS_INPUT);
    assert_begins(error.text, "node added before the first tree");
}

struct bad_shape {
    uint32_t n_features, n_outputs, feature;
    double base;
    const char *expected;
};

static void test_shapes_are_refused(void **state) {
    (void)state;
    static const struct bad_shape shapes[] = {
        {ENSEMBLE_MAX_FEATURES + 1, 1, 0, 0, "the model has 16000001 features"},
        {0, 1, ENSEMBLE_MAX_FEATURES, 0, "the model has 16000001 features"},
        {0, 1, UINT32_MAX, 0, "the model has 4294967295 features"},
        {1, ENSEMBLE_MAX_OUTPUTS + 1, 0, 0, "the model has 100001 outputs"},
        {1, 1, 0, INFINITY, "the base score of output 0 must be finite"},
        {1, 0, 0, NAN, "the base score of output 0 must be finite"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct ensemble_builder *b = ensemble_builder_create();
        const struct test_node nodes[] = {SPLIT(shapes[i].feature, 0, 1, 2), LEAF(0), LEAF(0), {0}};
        add_tree(b, 0, nodes);
        const struct ensemble_shape shape = {.n_features = shapes[i].n_features,
                                             .n_outputs = shapes[i].n_outputs,
                                             .base =
                                                 isfinite(shapes[i].base) ? NULL : &shapes[i].base};
        struct ensemble *ensemble = NULL;
        struct error error = {""};
        assert_int_equal(ensemble_builder_finish(b, &shape, &ensemble, &error), STATUS_INPUT);
        assert_begins(error.text, shapes[i].expected);
    }
}

/* --- the canonical form ----------------------------------------------------------------------- */

/* Nodes in depth-first order with the right side first, leaves between:
 *          0: f1                inner breadth first: 0 4 1 6
 *       4       1               leaves left to right: 5 8 7 3 2
 *     5   6   3   2
 *        8 7 */
static const struct test_node shuffled[] = {SPLIT(1, 10, 4, 1),
                                            SPLIT(2, 20, 3, 2),
                                            LEAF(2),
                                            LEAF(3),
                                            SPLIT(0, 40, 5, 6),
                                            LEAF(5),
                                            SPLIT(3, 60, 8, 7),
                                            LEAF(7),
                                            LEAF(8),
                                            {0}};

static void test_canonical_form(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    assert_int_equal(build_one(shuffled, 1, &e, NULL), STATUS_OK);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->n_nodes, 5);
    assert_int_equal(e->n_leaves, 7);
    assert_int_equal(e->n_features, 5);
    assert_int_equal(e->n_outputs, 2);
    assert_int_equal(e->tree_output[0], 0);
    assert_int_equal(e->tree_output[1], 1);
    assert_int_equal(e->tree_depth[0], 1);
    assert_int_equal(e->tree_depth[1], 3);
    assert_int_equal(e->tree_node[1], 1);
    assert_int_equal(e->tree_leaf[1], 2);
    assert_int_equal(ensemble_tree_nodes(e, 1), 4);
    assert_int_equal(ensemble_tree_leaves(e, 1), 5);
    static const uint32_t feature[] = {1, 0, 2, 3};
    static const float threshold[] = {10, 40, 20, 60};
    static const int32_t left[] = {1, ~0, ~3, ~1}, right[] = {2, 3, ~4, ~2};
    static const double value[] = {5, 8, 7, 3, 2};
    assert_memory_equal(e->feature + 1, feature, sizeof feature);
    assert_memory_equal(e->threshold + 1, threshold, sizeof threshold);
    assert_memory_equal(e->left + 1, left, sizeof left);
    assert_memory_equal(e->right + 1, right, sizeof right);
    assert_memory_equal(e->value + 2, value, sizeof value);
    assert_null(e->node_count);
    assert_null(e->leaf_count);
    assert_false(e->any_nan_left);
    ensemble_free(e);
}

static struct ensemble *with_counts(bool all) {
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b, &(struct inner_node){.left = 2, .right = 1, .nan_left = true, .count = 9});
    ensemble_builder_add_leaf(b, 1, 4);
    ensemble_builder_add_leaf(b, 2, all ? 5 : ENSEMBLE_NO_COUNT);
    struct ensemble *e = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    return e;
}

static void test_counts_are_kept_when_complete(void **state) {
    (void)state;
    struct ensemble *e = with_counts(true);
    assert_int_equal(e->node_count[0], 9);
    assert_int_equal(e->leaf_count[0], 5);
    assert_int_equal(e->leaf_count[1], 4);
    assert_true(e->any_nan_left);
    assert_int_equal(e->nan_left[0], 1);
    ensemble_free(e);
    e = with_counts(false);
    assert_null(e->node_count);
    assert_null(e->leaf_count);
    ensemble_free(e);
}

static void test_single_leaf(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    const double base = 0.25;
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, 7, ENSEMBLE_NO_COUNT);
    struct ensemble *e = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){.base = &base}, &e, NULL),
                     STATUS_OK);
    assert_int_equal(e->n_nodes, 0);
    assert_int_equal(e->n_features, 1);
    assert_int_equal(e->n_outputs, 1);
    assert_int_equal(e->tree_depth[0], 0);
    assert_true(e->value[0] == 7 && e->base[0] == 0.25);
    ensemble_free(e);
}

/* So that every score is 0, not -0, whether an implementation adds zeros or leaves them out. */
static void test_base_is_never_minus_zero(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    const double base = -0.0;
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, -0.0, ENSEMBLE_NO_COUNT);
    struct ensemble *e = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){.base = &base}, &e, NULL),
                     STATUS_OK);
    assert_false(signbit(e->base[0]));
    assert_false(signbit(e->base[0] + e->value[0]));
    ensemble_free(e);
}

/* A tree with `depth` decisions in which every left child is a leaf. */
static enum status build_chain(uint32_t depth, struct ensemble **ensemble, struct error *error) {
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    for (uint32_t i = 0; i < depth; i++) {
        ensemble_builder_add_inner(b, &(struct inner_node){.threshold = (float)i,
                                                           .left = 2 * i + 1,
                                                           .right = 2 * i + 2,
                                                           .count = ENSEMBLE_NO_COUNT});
        ensemble_builder_add_leaf(b, i, ENSEMBLE_NO_COUNT);
    }
    ensemble_builder_add_leaf(b, depth, ENSEMBLE_NO_COUNT);
    return ensemble_builder_finish(b, &(struct ensemble_shape){0}, ensemble, error);
}

static void test_depth_limit(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    struct error error;
    assert_int_equal(build_chain(ENSEMBLE_MAX_DEPTH, &e, NULL), STATUS_OK);
    assert_int_equal(e->tree_depth[0], ENSEMBLE_MAX_DEPTH);
    for (uint32_t i = 0; i <= ENSEMBLE_MAX_DEPTH; i++)
        assert_true(e->value[i] == i);
    ensemble_free(e);
    assert_int_equal(build_chain(ENSEMBLE_MAX_DEPTH + 1, &e, &error), STATUS_INPUT);
    assert_begins(error.text, "tree 0, node 8192: deeper than 4096 decisions");
}

/* --- statistics ------------------------------------------------------------------------------- */

static void test_stats_by_hand(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    struct ensemble_stats stats;
    assert_int_equal(build_one(shuffled, 1, &e, NULL), STATUS_OK);
    assert_int_equal(ensemble_compute_stats(e, &stats, NULL), STATUS_OK);
    ensemble_free(e);
    assert_int_equal(stats.trees, 2);
    assert_int_equal(stats.features, 5);
    assert_int_equal(stats.features_used, 4);
    assert_int_equal(stats.outputs, 2);
    assert_int_equal(stats.leaves_max, 5);
    assert_int_equal(stats.depth_max, 3);
    assert_true(stats.leaves_mean == 3.5);
    assert_true(stats.depth_mean == 2);
    assert_true(fabs(stats.path_mean - (1 + (2 + 3 + 3 + 2 + 2) / 5.0) / 2) < 1e-12);
    assert_true(isnan(stats.path_weighted));
    assert_int_equal(stats.thresholds_max, 2); /* feature 0: 0.5 of the stump, and 40 */
    assert_true(stats.thresholds_mean == 1.25);
    assert_int_equal(stats.nan_left_nodes, 0);
}

static void test_stats_weighted_by_counts(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(b, &(struct inner_node){.left = 1, .right = 2, .count = 10});
    ensemble_builder_add_leaf(b, 0, 9);
    ensemble_builder_add_inner(
        b, &(struct inner_node){.left = 3, .right = 4, .nan_left = true, .count = 1});
    ensemble_builder_add_leaf(b, 0, 1);
    ensemble_builder_add_leaf(b, 0, 0);
    struct ensemble *e = NULL;
    struct ensemble_stats stats;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    assert_int_equal(ensemble_compute_stats(e, &stats, NULL), STATUS_OK);
    ensemble_free(e);
    assert_true(fabs(stats.path_weighted - 1.1) < 1e-12);
    assert_true(fabs(stats.path_mean - 5.0 / 3) < 1e-12);
    assert_int_equal(stats.thresholds_max, 1); /* twice 0 */
    assert_int_equal(stats.nan_left_nodes, 1);
}

/* --- leaf-exact copies ------------------------------------------------------------------------ */

static void assert_distinct_integers(double *value, size_t n) {
    qsort(value, n, sizeof *value, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        assert_true(value[i] == floor(value[i]) && value[i] >= 0 && value[i] < 1 << 20);
        assert_true(i == 0 || value[i] > value[i - 1]);
    }
}

static void test_exact_copy(void **state) {
    (void)state;
    struct ensemble *e = NULL, *copy = NULL, *again = NULL, *other = NULL;
    assert_int_equal(build_one(shuffled, 1, &e, NULL), STATUS_OK);
    e->nan_left[1] = 1;
    assert_int_equal(ensemble_copy_with_exact_leaves(e, 1, &copy, NULL), STATUS_OK);
    assert_int_equal(ensemble_copy_with_exact_leaves(e, 1, &again, NULL), STATUS_OK);
    assert_int_equal(ensemble_copy_with_exact_leaves(e, 2, &other, NULL), STATUS_OK);
    assert_memory_equal(copy->left, e->left, e->n_nodes * sizeof *e->left);
    assert_memory_equal(copy->right, e->right, e->n_nodes * sizeof *e->right);
    assert_memory_equal(copy->feature, e->feature, e->n_nodes * sizeof *e->feature);
    assert_memory_equal(copy->threshold, e->threshold, e->n_nodes * sizeof *e->threshold);
    assert_memory_equal(copy->nan_left, e->nan_left, e->n_nodes * sizeof *e->nan_left);
    assert_memory_equal(copy->tree_output, e->tree_output, e->n_trees * sizeof *e->tree_output);
    assert_int_equal(copy->n_features, e->n_features);
    assert_memory_equal(copy->value, again->value, e->n_leaves * sizeof *e->value);
    assert_memory_not_equal(copy->value, other->value, e->n_leaves * sizeof *e->value);
    for (uint32_t t = 0; t < copy->n_trees; t++)
        assert_distinct_integers(copy->value + copy->tree_leaf[t], ensemble_tree_leaves(copy, t));
    ensemble_free(e);
    ensemble_free(copy);
    ensemble_free(again);
    ensemble_free(other);
}

/* Float32 counts exactly up to the sum of the largest values, also for many trees. */
static void test_exact_copy_of_many_trees(void **state) {
    (void)state;
    enum { TREES = 1000 };
    struct ensemble_builder *b = ensemble_builder_create();
    for (int t = 0; t < TREES; t++)
        add_tree(b, 0, shuffled);
    struct ensemble *e = NULL, *copy = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    assert_int_equal(ensemble_copy_with_exact_leaves(e, 3, &copy, NULL), STATUS_OK);
    double sum = 0;
    for (uint32_t t = 0; t < TREES; t++) {
        double *value = copy->value + copy->tree_leaf[t];
        assert_distinct_integers(value, 5);
        sum += value[4];
    }
    assert_true(sum <= 1 << 24);
    ensemble_free(e);
    ensemble_free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed_trees_are_refused),
        cmocka_unit_test(test_output_out_of_range),
        cmocka_unit_test(test_empty_ensemble),
        cmocka_unit_test(test_node_before_tree_is_sticky),
        cmocka_unit_test(test_shapes_are_refused),
        cmocka_unit_test(test_canonical_form),
        cmocka_unit_test(test_counts_are_kept_when_complete),
        cmocka_unit_test(test_single_leaf),
        cmocka_unit_test(test_base_is_never_minus_zero),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_stats_by_hand),
        cmocka_unit_test(test_stats_weighted_by_counts),
        cmocka_unit_test(test_exact_copy),
        cmocka_unit_test(test_exact_copy_of_many_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
