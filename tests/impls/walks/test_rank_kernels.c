/* rank-paths and rank-levels, for every number of columns and depths: their kernels have code for
 * each. That they reach the right leaves of other forests: test_exactness.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "impls/walks/rank_levels_model.h"
#include "tests/impls/forests.h"

#include <stdlib.h>
#include <string.h>

enum { PROBES = 300, MOST_PARTS = RANK_BYTE_COLUMNS / 16 };

/* Adds to scores that are not zero before. */
static double *score(const struct scorer *scorer, const struct matrix *rows) {
    size_t n_scores = rows->n_rows * scorer->n_outputs;
    double *scores = malloc(n_scores * sizeof *scores);
    void *workspace = memory_aligned_alloc(scorer->workspace);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n_scores; i++)
        scores[i] = (double)i;
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, (struct span){0, rows->n_rows},
                        &batch);
    free(workspace);
    return scores;
}

static void check_scores(const struct ensemble *ensemble, const struct scorer *scorer) {
    struct scorer *reference = NULL;
    struct matrix *rows = NULL;
    assert_int_equal(scorer_build("reference", ensemble, &reference, NULL), STATUS_OK);
    assert_int_equal(synth_probes(ensemble, PROBES, 1, &rows, NULL), STATUS_OK);
    double *expected = score(reference, rows), *scores = score(scorer, rows);
    if (memcmp(expected, scores, rows->n_rows * scorer->n_outputs * sizeof *scores) != 0)
        fail_msg("%s: %u features, depth %u: scores differ", scorer->impl->name,
                 ensemble->n_features, ensemble->tree_depth[0]);
    free(expected);
    free(scores);
    matrix_free(rows);
    scorer_destroy(reference);
}

/* Takes over the forest. Returns the number of columns, or 0 and the error if it is refused. */
static uint32_t check_forest(const struct impl *impl, struct forest *forest, struct error *error) {
    struct ensemble *made = forest_end(forest), *ensemble = NULL;
    struct scorer *scorer = NULL;
    uint32_t n_columns = 0;
    assert_int_equal(ensemble_copy_with_exact_leaves(made, 1, &ensemble, NULL), STATUS_OK);
    enum status status = impl->build(impl, ensemble, NULL, &scorer, error);
    if (!status) {
        n_columns = ((const struct rank_model *)scorer)->view.n_columns;
        check_scores(ensemble, scorer);
    } else {
        assert_int_equal(status, STATUS_UNSUPPORTED);
    }
    scorer_destroy(scorer);
    ensemble_free(made);
    ensemble_free(ensemble);
    return n_columns;
}

/* Calls `check` for the kernels of a family that run here. */
static void for_kernels(const char *family, void check(const struct impl *impl)) {
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->family && strcmp(impls[i]->family, family) == 0 && impl_runs_here(impls[i]))
            check(impls[i]);
}

static void check_columns(const struct impl *impl) {
    uint32_t parts = 0, n_columns = 1;
    struct error error = {""};
    for (uint32_t n_features = 6; n_columns; n_features += 7) {
        struct forest forest = forest_begin(n_features, n_features);
        for (uint32_t t = 0; t < 12; t++)
            forest_add_balanced(&forest, t % 2 ? 5 : 6);
        n_columns = check_forest(impl, &forest, &error);
        parts |= n_columns ? 1u << (n_columns - 1) / 16 : 0;
    }
    assert_int_equal(parts, (1u << MOST_PARTS) - 1);
    assert_non_null(strstr(error.text, " columns of 255; the limit is 256. Use interleaved"));
}

static void rank_kernels_take_up_to_256_columns(void **state) {
    (void)state;
    for_kernels("rank-paths", check_columns);
    for_kernels("rank-levels", check_columns);
}

/* Whole blocks and a rest, of trees of all shapes that are `depth` deep. */
static void add_trees(struct forest *forest, uint32_t depth) {
    for (uint32_t t = 0; t < 2 * LEVEL_TREES + 5; t++) {
        if (t % 3 == 0)
            forest_add_balanced(forest, depth);
        else
            forest_add_random_tree(forest, 1 + (uint32_t)random_below(&forest->random, depth + 1));
    }
}

static void check_depths(const struct impl *impl) {
    struct error error = {""};
    for (uint32_t depth = 0; depth <= LEVEL_MAX_DEPTH + 1; depth++)
        for (uint32_t kind = 0; kind < 3; kind++) {
            struct forest forest = forest_begin(5, depth);
            forest.nan_left = kind > 0;
            forest.n_outputs = kind == 1 ? 3 : 1;
            forest.n_classes = kind == 2 ? 4 : 0;
            add_trees(&forest, depth);
            check_forest(impl, &forest, &error);
            assert_int_equal(error.text[0] != '\0', depth > LEVEL_MAX_DEPTH);
        }
    assert_non_null(strstr(error.text, "is 9 deep; the limit is 8. Use rank-paths or interleaved"));
}

static void rank_levels_takes_trees_up_to_8_deep(void **state) {
    (void)state;
    for_kernels("rank-levels", check_depths);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_kernels_take_up_to_256_columns),
        cmocka_unit_test(rank_levels_takes_trees_up_to_8_deep),
    };
    return cmocka_run_group_tests_name("rank-paths and rank-levels", tests, NULL, NULL);
}
