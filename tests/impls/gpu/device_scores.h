/* Scores of an implementation on a device against the reference's. For test programs: static
 * functions. The device is the first of OpenCL, which PoCL provides where there is no GPU. */
#ifndef TESTS_IMPLS_GPU_DEVICE_SCORES_H
#define TESTS_IMPLS_GPU_DEVICE_SCORES_H

#include "impls/scorer.h"
#include "models/ensemble.h"
#include "synth/synth.h"
#include "tests/impls/scratch.h"

#include <stdlib.h>
#include <string.h>

/* Set-up of a group: names the device. Tests call skip_without_device, because a group cannot be
 * skipped. */
static bool device_is_here;

static int device_begin(void **state) {
    char text[512];
    if (scratch_begin(state) || setenv("TREEBENCH_DEVICE", "opencl", 1))
        return -1;
    device_is_here = impl_find("qs-gpu", NULL)->find(text, sizeof text) == STATUS_OK;
    if (!device_is_here)
        print_message("# no device: %s\n", text);
    return 0;
}

static inline void skip_without_device(void) {
    if (!device_is_here)
        skip();
}

struct device_case {
    struct ensemble *ensemble; /* leaf values are distinct integers, so that sums are exact */
    struct matrix *rows;
    double *expected; /* [n_rows][n_outputs] by the reference, added to FIRST_SCORE */
};

static const double FIRST_SCORE = -12345.5; /* of each document, before the call */

static inline double *score_rows(const char *spec, const struct ensemble *ensemble,
                                 const struct matrix *rows, size_t n_rows) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(spec, ensemble, &scorer, &error))
        fail_msg("%s: %s", spec, error.text);
    size_t n_scores = n_rows * ensemble->n_outputs;
    double *scores = malloc((n_scores + 1) * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    for (size_t i = 0; i <= n_scores; i++)
        scores[i] = FIRST_SCORE;
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    scorer_run(scorer, &(struct plan){.order = ORDER_SD}, n_rows, &batch);
    if (scorer->impl->failure && scorer->impl->failure(scorer))
        fail_msg("%s", scorer->impl->failure(scorer));
    assert_true(scores[n_scores] == FIRST_SCORE);
    free(workspace);
    scorer_destroy(scorer);
    return scores;
}

/* Takes over the ensemble, which becomes one with exact leaves. */
static inline struct device_case case_make(struct ensemble *ensemble, size_t n_rows) {
    struct device_case made = {.ensemble = NULL};
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 1, &made.ensemble, NULL), 0);
    assert_int_equal(synth_probes(ensemble, n_rows, 1, &made.rows, NULL), 0);
    made.expected = score_rows("reference", made.ensemble, made.rows, n_rows);
    ensemble_free(ensemble);
    return made;
}

static inline void case_free(struct device_case *freed) {
    ensemble_free(freed->ensemble);
    matrix_free(freed->rows);
    free(freed->expected);
}

/* The first n_rows documents get the reference's scores, to the last bit. */
static inline void check_rows_of(const struct device_case *checked, const char *spec,
                                 size_t n_rows) {
    uint32_t n_outputs = checked->ensemble->n_outputs;
    double *scores = score_rows(spec, checked->ensemble, checked->rows, n_rows);
    for (size_t i = 0; i < n_rows * n_outputs; i++)
        if (scores[i] != checked->expected[i])
            fail_msg("%s: %u trees, %zu nodes: document %zu, output %zu: %.17g instead of %.17g",
                     spec, checked->ensemble->n_trees, checked->ensemble->n_nodes, i / n_outputs,
                     i % n_outputs, scores[i], checked->expected[i]);
    free(scores);
}

#endif
