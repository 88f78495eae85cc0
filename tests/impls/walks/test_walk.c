/* What only `interleaved` and `gather-*` may get wrong: nodes of widths that are nobody's usual,
 * and trees that do not fit. The rest is test_exactness.c's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "impls/scorer.h"
#include "synth/synth.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"interleaved", "gather-avx2", "gather-avx512"};
enum { N_NAMES = sizeof names / sizeof *names, N_DOCS = 700 };

static struct ensemble *make_trees(const struct synth_shape *shape) {
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(shape, 5, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void score(const char *spec, const struct ensemble *ensemble, const struct matrix *rows,
                  double *scores) {
    const struct plan plan = {.order = ORDER_DS};
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(spec, ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    void *workspace = scorer_workspace(scorer);
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    memset(scores, 0, N_DOCS * sizeof *scores);
    scorer_run(scorer, &plan, rows->n_rows, &batch);
    free(workspace);
    scorer_destroy(scorer);
}

static bool is_here(const char *name) {
    const struct impl *impl = impl_find(name, NULL);
    return impl && !(impl->cpu & ~cpu_features());
}

static void check_widths(const struct synth_shape *shape) {
    struct ensemble *ensemble = make_trees(shape);
    struct matrix *rows = NULL;
    static double expected[N_DOCS], scores[N_DOCS];
    assert_int_equal(synth_probes(ensemble, N_DOCS, 1, &rows, NULL), STATUS_OK);
    score("reference", ensemble, rows, expected);
    for (size_t i = 0; i < N_NAMES; i++)
        if (is_here(names[i])) {
            score(names[i], ensemble, rows, scores);
            assert_memory_equal(scores, expected, sizeof scores);
        }
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* 11 levels and over 255 features: no layout of WALK_LAYOUTS has room. 12 levels and 200 features:
 * all 32 bits are used. */
static void unusual_widths(void **state) {
    (void)state;
    check_widths(&(struct synth_shape){.depth = 11, .n_features = 300, .n_trees = 9});
    check_widths(&(struct synth_shape){.depth = 12, .n_features = 200, .n_trees = 2});
}

static void too_wide(void **state) {
    (void)state;
    const struct synth_shape shape = {.depth = 16, .n_features = 1, .n_trees = 1};
    struct ensemble *ensemble = make_trees(&shape);
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build("interleaved", ensemble, &scorer, &error), STATUS_UNSUPPORTED);
    assert_non_null(
        strstr(error.text, "interleaved: the model is too large: a node would need 16 bits"));
    assert_null(scorer);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unusual_widths),
                                       cmocka_unit_test(too_wide)};
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
