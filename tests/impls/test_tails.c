/* Any number of documents from none to more than two of the widest blocks, by every traversal of
 * the registry, gets the reference's scores to the last bit; `auto` also where it gives the tail of
 * a call to another implementation. (That all exit leaves are right is in test_exactness.c.) */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/auto/auto_store.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1100 };

struct work {
    struct ensemble *ensemble;
    struct matrix *rows;
    double *expected; /* scores of all rows, added to those of `start` */
    double *scores;
};

static double start(size_t i) {
    return 0.1 * (double)i;
}

static void run(const struct work *work, const struct scorer *scorer, size_t n_docs,
                double *scores) {
    const struct plan plan = {.order = ORDER_DS};
    void *workspace = scorer_workspace(scorer);
    assert_non_null(workspace);
    memset(workspace, 0xa5, scorer->workspace);
    for (size_t i = 0; i < LONGEST * (size_t)scorer->n_outputs; i++)
        scores[i] = start(i);
    const struct batch batch = {work->rows->values, work->rows->stride, scores, workspace};
    scorer_run(scorer, &plan, n_docs, &batch);
    free(workspace);
}

/* Takes over the ensemble. Leaf values of which sums are rounded. */
static struct work work_begin(struct ensemble *ensemble) {
    struct work work = {.ensemble = ensemble};
    struct scorer *reference = NULL;
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = (double)random_float(&random) / 3 - 0.1;
    assert_int_equal(synth_probes(ensemble, LONGEST, 3, &work.rows, NULL), STATUS_OK);
    assert_int_equal(scorer_build("reference", ensemble, &reference, NULL), STATUS_OK);
    size_t n_scores = LONGEST * (size_t)ensemble->n_outputs;
    work.expected = calloc(n_scores, sizeof *work.expected);
    work.scores = calloc(n_scores, sizeof *work.scores);
    assert_true(work.expected && work.scores);
    run(&work, reference, LONGEST, work.expected);
    scorer_destroy(reference);
    return work;
}

static void work_end(struct work *work) {
    ensemble_free(work->ensemble);
    matrix_free(work->rows);
    free(work->expected);
    free(work->scores);
}

static void check(const struct work *work, const struct scorer *scorer, size_t n_docs) {
    size_t n_outputs = scorer->n_outputs;
    run(work, scorer, n_docs, work->scores);
    if (memcmp(work->expected, work->scores, n_docs * n_outputs * sizeof *work->scores) != 0)
        fail_msg("%s: %zu documents: another score than the reference's", scorer->impl->name,
                 n_docs);
    for (size_t i = n_docs * n_outputs; i < LONGEST * n_outputs; i++)
        if (work->scores[i] != start(i))
            fail_msg("%s: %zu documents: the score behind them was changed", scorer->impl->name,
                     n_docs);
}

/* What cannot be had here, or not for these trees, is said and left out. */
static struct scorer *build(const char *spec, const struct work *work) {
    struct scorer *scorer = NULL;
    struct error error;
    enum status status = scorer_build(spec, work->ensemble, &scorer, &error);
    if (status == STATUS_MACHINE || status == STATUS_UNSUPPORTED)
        print_message("# %s\n", error.text);
    else if (status)
        fail_msg("%s", error.text);
    return scorer;
}

static void check_all_tails(const char *spec, const struct work *work) {
    struct scorer *scorer = build(spec, work);
    for (size_t n_docs = 0; scorer && n_docs <= LONGEST; n_docs++)
        check(work, scorer, n_docs);
    if (scorer)
        scorer_destroy(scorer);
}

/* --- all of the registry ---------------------------------------------------------------------- */

static void every_traversal(struct ensemble *ensemble) {
    struct work work = work_begin(ensemble);
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->kind == IMPL_TRAVERSAL)
            check_all_tails(impls[i]->name, &work);
    work_end(&work);
}

static void one_output(void **state) {
    (void)state;
    every_traversal(nan_goes_left());
}

static void several(void **state) {
    (void)state;
    every_traversal(several_outputs());
}

static void categories(void **state) {
    (void)state;
    every_traversal(one_hot());
}

/* --- auto, tuned ------------------------------------------------------------------------------ */

/* Another implementation at nearly each size, beside the default costs'. */
static void store_times(const struct ensemble *ensemble) {
    static const char *const specs[] = {"planes", "vpred,v=16", "qs"};
    struct auto_times times = {.n_sizes = 0};
    for (size_t i = 0; i < AUTO_SIZES_MAX; i++) {
        struct auto_size *size = auto_times_add(&times, 1 + i * i);
        assert_non_null(size);
        size->ns[auto_times_spec(&times, specs[i % 3])] = 100;
    }
    assert_int_equal(auto_store_write(ensemble, &times, NULL), STATUS_OK);
}

static void auto_with_tails(struct ensemble *ensemble) {
    struct work work = work_begin(ensemble);
    store_times(ensemble);
    check_all_tails("auto", &work);
    work_end(&work);
}

static void auto_one_output(void **state) {
    (void)state;
    auto_with_tails(nan_goes_left());
}

static void auto_several(void **state) {
    (void)state;
    auto_with_tails(several_outputs());
}

/* Blocks by one and tails by another. */
static void auto_untuned_splits_calls(void **state) {
    (void)state;
    const struct synth_shape shape = {.depth = 5, .n_features = 8, .n_trees = 60};
    struct ensemble *ensemble = NULL;
    size_t n_splits = 0;
    assert_int_equal(synth_trees(&shape, 3, &ensemble, NULL), STATUS_OK);
    struct work work = work_begin(ensemble);
    struct scorer *scorer = build(AUTO_UNTUNED, &work);
    assert_non_null(scorer);
    for (size_t n_docs = 1; n_docs <= LONGEST; n_docs++) {
        char text[256];
        scorer->impl->describe(scorer, n_docs, n_docs, text, sizeof text);
        n_splits += strstr(text, " and ") != NULL;
    }
    scorer_destroy(scorer);
    assert_true(n_splits > 0);
    check_all_tails(AUTO_UNTUNED, &work);
    work_end(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_output),   cmocka_unit_test(several),
        cmocka_unit_test(categories),   cmocka_unit_test(auto_one_output),
        cmocka_unit_test(auto_several), cmocka_unit_test(auto_untuned_splits_calls),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
