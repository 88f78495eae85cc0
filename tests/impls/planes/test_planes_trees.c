/* Large trees as pieces for bit planes: of at most 256 leaves each, with the same scores to the
 * last bit, or refused where that would be too many. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/planes/kernel/planes_types.h"
#include "impls/planes/planes_model.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <stdlib.h>
#include <string.h>

enum { PROBES = 3000 };

static struct ensemble *with_real_leaves(struct ensemble *ensemble) {
    struct random random;
    random_seed(&random, 31);
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = random_double(&random) - 0.5;
    return ensemble;
}

static struct ensemble *make(const struct ensemble *ensemble) {
    struct ensemble *made = NULL;
    struct error error;
    assert_false(planes_trees_fit(ensemble));
    if (planes_trees_make(ensemble, "planes", &made, &error))
        fail_msg("%s", error.text);
    return made;
}

/* Scores that begin with -0, which an addition of +0 would change. */
static double *score(const struct ensemble *ensemble, const struct matrix *rows) {
    struct scorer *scorer = NULL;
    assert_int_equal(scorer_build("reference", ensemble, &scorer, NULL), STATUS_OK);
    double *scores = malloc(rows->n_rows * ensemble->n_outputs * sizeof *scores);
    assert_non_null(scores);
    for (size_t i = 0; i < rows->n_rows * ensemble->n_outputs; i++)
        scores[i] = -0.0;
    const struct plan plan = {.order = ORDER_DS};
    const struct batch batch = {rows->values, rows->stride, scores, NULL};
    scorer_run(scorer, &plan, rows->n_rows, &batch);
    scorer_destroy(scorer);
    return scores;
}

static void check_trees(const struct ensemble *made) {
    assert_true(planes_trees_fit(made));
    for (uint32_t t = 0; t < made->n_trees; t++) {
        assert_in_range(ensemble_tree_leaves(made, t), 1, PLANES_MAX_LEAVES);
        assert_true(t == 0 || made->tree_output[t] >= made->tree_output[t - 1]);
    }
}

/* Takes over the ensemble; its pieces have at most so many nodes for each of its own. */
static void check_pieces(struct ensemble *ensemble, double growth) {
    struct ensemble *made = make(ensemble);
    struct matrix *rows = NULL;
    check_trees(made);
    assert_true((double)made->n_nodes <= growth * (double)ensemble->n_nodes);
    assert_int_equal(synth_probes(ensemble, PROBES, 3, &rows, NULL), STATUS_OK);
    double *expected = score(ensemble, rows), *scores = score(made, rows);
    assert_memory_equal(expected, scores, PROBES * ensemble->n_outputs * sizeof *scores);
    free(expected);
    free(scores);
    matrix_free(rows);
    ensemble_free(made);
    ensemble_free(ensemble);
}

static void random_trees_are_cut(void **state) {
    (void)state;
    static const uint32_t leaves[] = {257, 300, 511, 512, 513, 1000, 2049, 5000};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        struct forest forest = forest_begin(9, 41 + i);
        forest.nan_left = i % 2;
        forest_add_random_tree(&forest, leaves[i]);
        check_pieces(with_real_leaves(forest_end(&forest)), 1.3);
    }
}

static void balanced_trees_are_cut(void **state) {
    (void)state;
    struct forest forest = forest_begin(9, 51);
    for (uint32_t depth = 7; depth <= 12; depth++)
        forest_add_balanced(&forest, depth);
    check_pieces(with_real_leaves(forest_end(&forest)), 1.1);
}

static void outputs_are_brought_together(void **state) {
    (void)state;
    check_pieces(with_real_leaves(several_outputs()), 1);
    check_pieces(with_real_leaves(large_trees()), 1.3);
}

/* Documents on thresholds, beyond all numbers and without one. */
static void extreme_thresholds_are_kept(void **state) {
    (void)state;
    static const float thresholds[] = {INFINITY,  -INFINITY, 0.0f,     -0.0f,
                                       0x1p-149f, FLT_MAX,   -FLT_MAX, 0.5f};
    struct forest forest = forest_begin(40, 61);
    forest.nan_left = true;
    forest.thresholds = thresholds;
    forest.n_thresholds = sizeof thresholds / sizeof *thresholds;
    forest_add_random_tree(&forest, 900);
    check_pieces(with_real_leaves(forest_end(&forest)), 1.3);
}

/* A leaf that stands for a subtree must not make +0 of a sum of -0. */
static void zeros_keep_their_signs(void **state) {
    (void)state;
    struct forest forest = forest_begin(9, 71);
    forest_add_random_tree(&forest, 700);
    struct ensemble *ensemble = forest_end(&forest);
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = i % 2 ? 0.0 : -0.0;
    check_pieces(ensemble, 1.3);
}

static void what_fits_is_left_alone(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 81);
    forest_add_chain(&forest, PLANES_MAX_LEAVES - 1, CHAIN_ZIGZAG);
    forest_add_random_tree(&forest, PLANES_MAX_LEAVES);
    struct ensemble *ensemble = forest_end(&forest);
    assert_true(planes_trees_fit(ensemble));
    ensemble_free(ensemble);
}

/* --- deep trees ------------------------------------------------------------------------------- */

/* A chain that ends in a balanced tree. */
static struct ensemble *chain_over_balanced(uint32_t chain, uint32_t depth) {
    struct forest forest = forest_begin(300, 91);
    ensemble_builder_add_tree(forest.builder, 0);
    for (uint32_t i = 0; i < chain; i++) {
        forest_add_inner(&forest, 2 * i + 1, 2 * i + 2);
        forest_add_leaf(&forest);
    }
    for (uint32_t i = 0; i < (2u << depth) - 1; i++) {
        if (i < (1u << depth) - 1)
            forest_add_inner(&forest, 2 * chain + 2 * i + 1, 2 * chain + 2 * i + 2);
        else
            forest_add_leaf(&forest);
    }
    return with_real_leaves(forest_end(&forest));
}

static void check_refused(struct ensemble *ensemble, const char *reason) {
    struct ensemble *made = NULL;
    struct error error;
    assert_int_equal(planes_trees_make(ensemble, "planes", &made, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, reason);
    assert_null(made);
    ensemble_free(ensemble);
}

static void deep_trees_are_cut_or_refused(void **state) {
    (void)state;
    check_pieces(chain_over_balanced(60, 10), 1.5);
    check_pieces(chain_over_balanced(180, 10), 3.9);
    check_refused(chain_over_balanced(230, 10),
                  "planes: tree 0 has 1254 leaves and is 240 deep: too deep to be cut into trees "
                  "of at most 256 leaves. Use vpred");
    check_refused(chain_over_balanced(250, 10),
                  "planes: tree 0 has 1274 leaves and is 260 deep: too deep to be cut into trees "
                  "of at most 256 leaves. Use vpred");
    struct forest forest = forest_begin(3, 92);
    forest_add_chain(&forest, 3, CHAIN_LEFT);
    forest_add_chain(&forest, 4000, CHAIN_RIGHT);
    check_refused(forest_end(&forest),
                  "planes: tree 1 has 4001 leaves and is 4000 deep: too deep to be cut into trees "
                  "of at most 256 leaves. Use vpred");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_are_cut),
        cmocka_unit_test(balanced_trees_are_cut),
        cmocka_unit_test(outputs_are_brought_together),
        cmocka_unit_test(extreme_thresholds_are_kept),
        cmocka_unit_test(zeros_keep_their_signs),
        cmocka_unit_test(what_fits_is_left_alone),
        cmocka_unit_test(deep_trees_are_cut_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
