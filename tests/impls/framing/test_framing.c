/* What only the tables of nodes may get wrong: orders of nodes, widths of their fields, and floats
 * that are compared as integers. The rest is test_exactness.c's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/memory.h"
#include "impls/framing/frame_tree.h"
#include "impls/framing/framing_scorer.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"
#include "tests/impls/framing/counted.h"
#include "tests/impls/refused.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC_SIZE = 64, N_PROBES = 400 };

static struct scorer *build(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(spec, ensemble, &scorer, &error))
        fail_msg("%s: %s", spec, error.text);
    return scorer;
}

static void score(const char *spec, const struct ensemble *ensemble, const struct matrix *rows,
                  double *scores) {
    const struct plan plan = {.order = ORDER_DS};
    struct scorer *scorer = build(spec, ensemble);
    const struct batch batch = {rows->values, rows->stride, scores, NULL};
    memset(scores, 0, rows->n_rows * ensemble->n_outputs * sizeof *scores);
    assert_int_equal(scorer->workspace, 0);
    scorer_run(scorer, &plan, rows->n_rows, &batch);
    scorer_destroy(scorer);
}

/* Equal scores of these leaf values mean equal exit leaves. */
static struct ensemble *with_exact_leaves(struct ensemble *ensemble) {
    struct ensemble *copy = NULL;
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 3, &copy, NULL), STATUS_OK);
    ensemble_free(ensemble);
    return copy;
}

static void check(const char *spec, const struct ensemble *ensemble, const struct matrix *rows) {
    size_t n_scores = rows->n_rows * ensemble->n_outputs;
    double *expected = malloc(n_scores * sizeof *expected);
    double *scores = malloc(n_scores * sizeof *scores);
    assert_true(expected && scores);
    score("reference", ensemble, rows, expected);
    score(spec, ensemble, rows, scores);
    for (size_t i = 0; i < n_scores; i++)
        if (scores[i] != expected[i])
            fail_msg("%s: score %zu is %g instead of %g", spec, i, scores[i], expected[i]);
    free(expected);
    free(scores);
}

/* Fewer rows if they are wide, so that they take little memory. */
static struct matrix *make_rows(const struct ensemble *ensemble) {
    enum { WIDE = 1000, N_WIDE = 50 };
    size_t n_rows = ensemble->n_features > WIDE ? N_WIDE : N_PROBES;
    struct matrix *rows = NULL;
    assert_int_equal(synth_probes(ensemble, n_rows, 1, &rows, NULL), STATUS_OK);
    return rows;
}

/* --- every order ------------------------------------------------------------------------------ */

static struct ensemble *trees_of_many_shapes(void) {
    struct forest forest = forest_begin(9, 21);
    forest.nan_left = true;
    forest.n_outputs = 2;
    for (uint32_t leaves = 1; leaves < 50; leaves += 12)
        forest_add_random_tree(&forest, leaves);
    forest_add_chain(&forest, 30, CHAIN_ZIGZAG);
    forest_add_balanced(&forest, 5);
    return with_exact_leaves(forest_end(&forest));
}

static void check_every_tau(const struct ensemble *ensemble, const struct matrix *rows) {
    char spec[SPEC_SIZE];
    for (int fill = 0; fill < 2; fill++) {
        for (int tau = 1; tau <= 51; tau++) {
            snprintf(spec, sizeof spec, "native-opt,tau=%d,fill=%d", tau, fill);
            check(spec, ensemble, rows);
        }
        snprintf(spec, sizeof spec, "native-opt,tau=all,fill=%d,compare=int", fill);
        check(spec, ensemble, rows);
    }
}

static void every_tau_reaches_the_same_leaves(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_many_shapes();
    struct matrix *rows = make_rows(ensemble);
    assert_null(ensemble->node_count);
    check_every_tau(ensemble, rows);
    count_rows(ensemble, rows);
    check_every_tau(ensemble, rows);
    ensemble_free(ensemble);
    matrix_free(rows);
}

static void a_chain_of_the_greatest_depth_agrees(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 22);
    forest_add_chain(&forest, ENSEMBLE_MAX_DEPTH, CHAIN_RIGHT);
    struct ensemble *ensemble = with_exact_leaves(forest_end(&forest));
    struct matrix *rows = make_rows(ensemble);
    check("native", ensemble, rows);
    check("native-folded", ensemble, rows);
    check("native-opt,tau=7", ensemble, rows);
    check("native-opt,tau=all,fill=0", ensemble, rows);
    ensemble_free(ensemble);
    matrix_free(rows);
}

static void probabilities_come_from_counts(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_many_shapes();
    struct matrix *rows = make_rows(ensemble);
    struct frame_tree tree;
    struct memory_pool pool = {0};
    frame_tree_create(&tree, ensemble_largest_tree(ensemble), &pool);
    frame_tree_fill(&tree, ensemble, 4);
    for (uint32_t node = 0; node < tree.n_nodes; node++)
        if (!frame_is_leaf(&tree, node)) {
            assert_true(tree.weight[tree.left[node]] == tree.weight[node] / 2);
            assert_true(tree.weight[tree.right[node]] == tree.weight[node] / 2);
            assert_int_equal(frame_likelier(&tree, node), tree.left[node]);
        }
    count_rows(ensemble, rows);
    frame_tree_fill(&tree, ensemble, 4);
    assert_true(tree.weight[0] == N_PROBES);
    for (uint32_t node = 0; node < tree.n_nodes; node++)
        if (!frame_is_leaf(&tree, node)) {
            double left = tree.weight[tree.left[node]], right = tree.weight[tree.right[node]];
            assert_true(left + right == tree.weight[node]);
            assert_int_equal(frame_likelier(&tree, node),
                             right > left ? tree.right[node] : tree.left[node]);
            assert_int_equal(frame_likelier(&tree, node) + frame_other(&tree, node),
                             tree.left[node] + tree.right[node]);
        }
    memory_pool_free(&pool);
    ensemble_free(ensemble);
    matrix_free(rows);
}

static void a_note_says_that_counts_are_missing(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_many_shapes();
    struct matrix *rows = make_rows(ensemble);
    struct scorer *scorer = build("native-opt", ensemble), *naive = build("native", ensemble);
    assert_non_null(strstr(scorer->note, "no counts"));
    assert_null(naive->note);
    scorer_destroy(scorer);
    count_rows(ensemble, rows);
    scorer = build("native-opt", ensemble);
    assert_null(scorer->note);
    scorer_destroy(scorer);
    scorer_destroy(naive);
    ensemble_free(ensemble);
    matrix_free(rows);
}

/* --- widths ----------------------------------------------------------------------------------- */

/* The bytes of one tree's nodes, in whole lines of 64 bytes. */
static size_t bytes_of_nodes(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = build(spec, ensemble);
    size_t rest = sizeof(struct framing_tree) + ensemble->n_leaves * sizeof(double);
    size_t bytes = scorer->bytes - rest;
    scorer_destroy(scorer);
    return bytes;
}

static void check_bytes(uint32_t n_features, uint32_t depth, size_t naive, size_t folded) {
    struct forest forest = forest_begin(n_features, 23);
    forest_add_balanced(&forest, depth);
    struct ensemble *ensemble = with_exact_leaves(forest_end(&forest));
    size_t inner = ensemble->n_nodes, lines = MEMORY_ALIGNMENT - 1;
    assert_int_equal(bytes_of_nodes("native", ensemble),
                     ((2 * inner + 1) * naive + lines) & ~lines);
    assert_int_equal(bytes_of_nodes("native-folded", ensemble), (inner * folded + lines) & ~lines);
    struct matrix *rows = make_rows(ensemble);
    check("native", ensemble, rows);
    check("native,compare=int", ensemble, rows);
    check("native-folded", ensemble, rows);
    check("native-opt,compare=int", ensemble, rows);
    ensemble_free(ensemble);
    matrix_free(rows);
}

static void nodes_have_the_papers_sizes(void **state) {
    (void)state;
    check_bytes(10, 6, 20, 12);
    check_bytes(65536, 6, 20, 12);
    check_bytes(65537, 6, 20, 16);
    check_bytes(10, 16, 24, 12);
    check_bytes(10, 17, 24, 16);
    check_bytes(65537, 17, 24, 20);
}

/* A vote needs no array of values: the number of its class is in the node. */
static void votes_are_in_the_nodes(void **state) {
    (void)state;
    struct forest forest = forest_begin(10, 25);
    forest.n_classes = 26;
    forest_add_balanced(&forest, 6);
    struct ensemble *ensemble = forest_end(&forest);
    struct matrix *rows = make_rows(ensemble);
    struct scorer *naive = build("native", ensemble), *folded = build("native-folded", ensemble);
    const size_t lines = MEMORY_ALIGNMENT - 1, tree = sizeof(struct framing_tree);
    assert_int_equal(naive->bytes, tree + ((127 * 20 + lines) & ~lines));
    assert_int_equal(folded->bytes, tree + ((63 * 12 + lines) & ~lines));
    check("native", ensemble, rows);
    check("native-folded,compare=int", ensemble, rows);
    check("native-opt", ensemble, rows);
    scorer_destroy(naive);
    scorer_destroy(folded);
    ensemble_free(ensemble);
    matrix_free(rows);
}

/* Small and large trees in turns: kernels change from tree to tree. */
static void kernels_may_change_between_trees(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 24);
    for (uint32_t t = 0; t < 7; t++)
        forest_add_balanced(&forest, t % 3 == 1 ? 17 : 2);
    struct ensemble *ensemble = with_exact_leaves(forest_end(&forest));
    struct matrix *rows = make_rows(ensemble);
    struct scorer *scorer = build("native-opt", ensemble),
                  *reference = build("reference", ensemble);
    for (size_t begin = 0; begin < 7; begin++)
        for (size_t end = begin; end <= 7; end++) {
            double scores[N_PROBES] = {0}, expected[N_PROBES] = {0};
            const struct span units = {begin, end}, docs = {0, rows->n_rows};
            const struct batch batch = {rows->values, rows->stride, scores, NULL};
            const struct batch right = {rows->values, rows->stride, expected, NULL};
            scorer->impl->score(scorer, units, docs, &batch);
            reference->impl->score(reference, units, docs, &right);
            assert_memory_equal(scores, expected, rows->n_rows * sizeof *scores);
        }
    scorer_destroy(scorer);
    scorer_destroy(reference);
    ensemble_free(ensemble);
    matrix_free(rows);
}

/* --- comparing as integers -------------------------------------------------------------------- */

static const float specials[] = {0.0f,       -0.0f,    0x1p-149f, -0x1p-149f, 0x1p-126f,
                                 -0x1p-126f, 1.0f,     -1.0f,     1.5f,       -1.5f,
                                 FLT_MAX,    -FLT_MAX, INFINITY,  -INFINITY};
enum { N_SPECIALS = sizeof specials / sizeof *specials };

/* Trees of one inner node, one for each threshold and side of NaN. */
static struct ensemble *stumps_of_specials(bool nan_left) {
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {.n_features = 1, .n_outputs = 2 * N_SPECIALS};
    struct ensemble *ensemble = NULL;
    assert_non_null(builder);
    for (uint32_t t = 0; t < shape.n_outputs; t++) {
        ensemble_builder_add_tree(builder, t);
        ensemble_builder_add_inner(builder,
                                   &(struct inner_node){.threshold = (double)specials[t / 2],
                                                        .left = 1,
                                                        .right = 2,
                                                        .nan_left = nan_left && t % 2,
                                                        .count = ENSEMBLE_NO_COUNT});
        ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(builder, 2, ENSEMBLE_NO_COUNT);
    }
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_value(const char *spec, const struct ensemble *ensemble, float x) {
    double scores[2 * N_SPECIALS] = {0}, expected[2 * N_SPECIALS] = {0};
    const struct span units = {0, ensemble->n_trees}, docs = {0, 1};
    struct scorer *scorer = build(spec, ensemble), *reference = build("reference", ensemble);
    scorer->impl->score(scorer, units, docs, &(struct batch){&x, 1, scores, NULL});
    reference->impl->score(reference, units, docs, &(struct batch){&x, 1, expected, NULL});
    for (size_t t = 0; t < ensemble->n_trees; t++)
        if (scores[t] != expected[t])
            fail_msg("%s: %g at a threshold of %g: leaf %g instead of %g", spec, (double)x,
                     (double)specials[t / 2], scores[t], expected[t]);
    scorer_destroy(scorer);
    scorer_destroy(reference);
}

static void special_values_are_compared_as_floats_are(void **state) {
    (void)state;
    static const char *const specs[] = {"native,compare=int", "native-folded,compare=int",
                                        "native-opt,compare=int", "native"};
    /* Quiet and signalling NaNs of both signs, with the smallest and largest payload. */
    static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001,
                                    0xff800001, 0x7fffffff, 0xffffffff};
    for (int nan_left = 0; nan_left < 2; nan_left++) {
        struct ensemble *ensemble = stumps_of_specials(nan_left);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            for (size_t i = 0; i < N_SPECIALS; i++)
                check_value(specs[s], ensemble, specials[i]);
            for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
                check_value(specs[s], ensemble, float_of(nans[i]));
        }
        ensemble_free(ensemble);
    }
}

static void unknown_values_of_options_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = single_leaf();
    expect_refused("native,compare=double", ensemble, STATUS_INPUT,
                   "native,compare=double: compare must be one of: float");
    expect_refused("native-folded,compare=", ensemble, STATUS_INPUT, "compare");
    expect_refused("native-opt,tau=0", ensemble, STATUS_INPUT,
                   "tau must be a positive integer, all or auto");
    expect_refused("native-opt,fill=2", ensemble, STATUS_INPUT, "fill");
    expect_refused("native,tau=3", ensemble, STATUS_INPUT, "no option 'tau'");
    ensemble_free(ensemble);
}

static void auto_tau_fills_the_ways_of_a_cache(void **state) {
    (void)state;
    assert_true(framing_tau(12) >= framing_tau(20));
    assert_in_range(framing_tau(20), 1, 1024);
    assert_int_equal(framing_tau(SIZE_MAX), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tau_reaches_the_same_leaves),
        cmocka_unit_test(a_chain_of_the_greatest_depth_agrees),
        cmocka_unit_test(probabilities_come_from_counts),
        cmocka_unit_test(a_note_says_that_counts_are_missing),
        cmocka_unit_test(nodes_have_the_papers_sizes),
        cmocka_unit_test(votes_are_in_the_nodes),
        cmocka_unit_test(kernels_may_change_between_trees),
        cmocka_unit_test(special_values_are_compared_as_floats_are),
        cmocka_unit_test(unknown_values_of_options_are_refused),
        cmocka_unit_test(auto_tau_fills_the_ways_of_a_cache),
    };
    return cmocka_run_group_tests_name("framing", tests, NULL, NULL);
}
