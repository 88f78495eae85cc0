/* The tree-blocks of GPU-QuickScorer, scored here by algorithms 3 and 4 in plain C: pivots by a
 * linear scan, leaf sets one by one. No device is needed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/gpu/qs_blocks.h"
#include "impls/scorer.h"
#include "impls/shared/float_key.h"
#include "tests/impls/forests.h"

#include <stdlib.h>
#include <string.h>

enum { N_ROWS = 200 };

/* How many of a list's entries are false: they must be its first ones. */
static uint32_t pivot_of(const struct qs_tree_block *block, uint32_t list, float x) {
    uint32_t begin = block->list_begin[list], end = block->list_begin[list + 1], count = 0;
    for (uint32_t e = begin; e < end; e++) {
        bool is_nan = x != x;
        bool is_false = is_nan ? !block->list_nan_left[list] : float_key(x) > block->threshold[e];
        assert_true(!is_false || count == e - begin);
        count += is_false;
    }
    return count;
}

static double score_block(const struct qs_tree_blocks *blocks, const struct qs_tree_block *block,
                          const float *x) {
    uint32_t words = blocks->words;
    uint32_t *sets = malloc((size_t)block->n_trees * words * sizeof *sets);
    double sum = 0;
    assert_non_null(sets);
    memset(sets, 0xff, (size_t)block->n_trees * words * sizeof *sets);
    for (uint32_t list = 0; list < block->n_lists; list++) {
        uint32_t begin = block->list_begin[list];
        uint32_t end = begin + pivot_of(block, list, x[block->list_feature[list]]);
        for (uint32_t e = begin; e < end; e++)
            for (uint32_t word = 0; word < words; word++)
                sets[block->tree[e] * words + word] &= block->mask[e * words + word];
    }
    for (uint32_t t = 0; t < block->n_trees; t++) {
        uint32_t leaf = 0;
        while (!(sets[t * words + leaf / 32] >> leaf % 32 & 1))
            leaf++;
        assert_true(leaf < words * 32);
        sum += block->values[t * words * 32 + leaf];
    }
    free(sets);
    return sum;
}

static double *reference_scores(const struct ensemble *ensemble, const struct matrix *rows) {
    struct scorer *scorer = NULL;
    double *scores = calloc(rows->n_rows * ensemble->n_outputs, sizeof *scores);
    assert_non_null(scores);
    assert_int_equal(scorer_build("reference", ensemble, &scorer, NULL), STATUS_OK);
    const struct batch batch = {rows->values, rows->stride, scores, NULL};
    scorer_run(scorer, &(struct plan){.order = ORDER_DS}, rows->n_rows, &batch);
    scorer_destroy(scorer);
    return scores;
}

static void check_blocks(const struct ensemble *ensemble, const struct matrix *rows, size_t tau) {
    struct qs_tree_blocks blocks;
    unsigned leaves = qs_blocks_leaves(ensemble, "qs-gpu", NULL);
    double *expected = reference_scores(ensemble, rows);
    size_t n_trees = 0, n_entries = 0;
    assert_int_equal(qs_blocks_build(ensemble, tau, leaves, &blocks, NULL), STATUS_OK);
    for (size_t i = 0; i < blocks.n_blocks; i++) {
        const struct qs_tree_block *block = &blocks.blocks[i];
        assert_in_range(block->n_trees, 1, tau);
        assert_true(i == 0 || block->output >= block[-1].output);
        n_trees += block->n_trees;
        n_entries += block->n_entries;
        for (size_t row = 0; row < rows->n_rows; row++)
            expected[row * ensemble->n_outputs + block->output] -=
                score_block(&blocks, block, matrix_row(rows, row));
    }
    assert_int_equal(n_trees, ensemble->n_trees);
    assert_int_equal(n_entries, ensemble->n_nodes);
    for (size_t i = 0; i < rows->n_rows * ensemble->n_outputs; i++)
        assert_true(expected[i] == 0);
    memory_pool_free(&blocks.pool);
    free(expected);
}

/* Takes over the ensemble. */
static void check_forest(struct ensemble *made) {
    struct ensemble *ensemble = NULL;
    struct matrix *rows = NULL;
    assert_int_equal(ensemble_copy_with_exact_leaves(made, 1, &ensemble, NULL), STATUS_OK);
    assert_int_equal(synth_probes(made, N_ROWS, 1, &rows, NULL), STATUS_OK);
    for (size_t tau = 1; tau <= ensemble->n_trees; tau++)
        check_blocks(ensemble, rows, tau);
    ensemble_free(made);
    ensemble_free(ensemble);
    matrix_free(rows);
}

static void every_tau_of_every_kind(void **state) {
    (void)state;
    check_forest(single_leaf());
    check_forest(stumps());
    check_forest(chains());
    check_forest(several_outputs());
    check_forest(nan_goes_left());
    check_forest(one_threshold());
    check_forest(extreme_thresholds());
    check_forest(words_of_32());
    check_forest(words_of_64());
}

static void widths_of_leaf_sets(void **state) {
    (void)state;
    struct ensemble *narrow = words_of(32, 1), *wide = words_of(33, 1), *large = words_of(65, 1);
    struct error error = {""};
    assert_int_equal(qs_blocks_leaves(narrow, "qs-gpu", &error), 32);
    assert_int_equal(qs_blocks_leaves(wide, "qs-gpu", &error), 64);
    assert_int_equal(qs_blocks_leaves(large, "qs-gpu", &error), 0);
    assert_string_equal(
        error.text, "qs-gpu: tree 1 has 65 leaves; the limit is 64. Use planes-gpu or walk-gpu");
    ensemble_free(narrow);
    ensemble_free(wide);
    ensemble_free(large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tau_of_every_kind),
        cmocka_unit_test(widths_of_leaf_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
