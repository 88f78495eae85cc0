/* qs-gpu reaches the reference's exit leaves, and its sums have the same bits in every run. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tests/impls/forests.h"
#include "tests/impls/gpu/device_scores.h"

#include <stdio.h>

enum { N_ROWS = 150 };

static struct ensemble *shallow_trees_over_one_feature(void) {
    const struct synth_shape shape = {.depth = 5, .n_features = 1, .n_trees = 3};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, 4, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void check_forest(struct ensemble *ensemble, const char *const *specs) {
    struct device_case checked = case_make(ensemble, N_ROWS);
    for (; *specs; specs++)
        check_rows_of(&checked, *specs, N_ROWS);
    case_free(&checked);
}

static const char *const usual[] = {"qs-gpu,threads=64", NULL};

/* Thresholds that are hit, one ulp beside them, NaN, infinities and zeros of both signs. */
static void forests_of_every_kind(void **state) {
    (void)state;
    skip_without_device();
    check_forest(single_leaf(), usual);
    check_forest(stumps(), usual);
    check_forest(shallow_trees_over_one_feature(), usual);
    check_forest(chains(), usual);
    check_forest(small_trees_over_many_features(), usual);
    check_forest(several_outputs(), usual);
    check_forest(nan_goes_left(), usual);
    check_forest(one_threshold(), usual);
    check_forest(extreme_thresholds(), usual);
    check_forest(words_of_32(), usual);
    check_forest(words_of_64(), usual);
}

static void options_change_no_score(void **state) {
    (void)state;
    skip_without_device();
    static const char *const specs[] = {"qs-gpu", "qs-gpu,tau=1,threads=32,blocks=3",
                                        "qs-gpu,tau=4,threads=32,batch=33",
                                        "qs-gpu,tau=all,threads=64,batch=1", NULL};
    check_forest(nan_goes_left(), specs);
}

static void every_tau(void **state) {
    (void)state;
    skip_without_device();
    struct device_case checked = case_make(words_of_64(), 40);
    for (uint32_t tau = 1; tau <= checked.ensemble->n_trees; tau++) {
        char spec[64];
        snprintf(spec, sizeof spec, "qs-gpu,threads=64,tau=%u", tau);
        check_rows_of(&checked, spec, 40);
    }
    case_free(&checked);
}

/* Whole tiles, parts of tiles and single documents; several batches; no document. */
static void any_number_of_documents(void **state) {
    (void)state;
    skip_without_device();
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 63, 65, 100};
    struct device_case checked = case_make(stumps(), 100);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_rows_of(&checked, "qs-gpu,threads=64", counts[i]);
        check_rows_of(&checked, "qs-gpu,threads=64,batch=32", counts[i]);
    }
    case_free(&checked);
}

static void no_tree_adds_nothing(void **state) {
    (void)state;
    skip_without_device();
    struct device_case checked = case_make(stumps(), 33);
    ensemble_keep_first(checked.ensemble, 0);
    double *scores = score_rows("qs-gpu,threads=64", checked.ensemble, checked.rows, 33);
    for (size_t i = 0; i < 33; i++)
        assert_true(scores[i] == FIRST_SCORE);
    free(scores);
    case_free(&checked);
}

/* Values whose sums are not exact. The sums have another order than the reference's. */
static void sums_are_the_same_in_every_run(void **state) {
    (void)state;
    skip_without_device();
    const struct synth_shape shape = {.depth = 4, .n_features = 9, .n_trees = 300};
    struct ensemble *ensemble = NULL;
    struct matrix *rows = NULL;
    assert_int_equal(synth_trees(&shape, 3, &ensemble, NULL), STATUS_OK);
    assert_int_equal(synth_probes(ensemble, N_ROWS, 1, &rows, NULL), STATUS_OK);
    double *expected = score_rows("reference", ensemble, rows, N_ROWS);
    double *scores = score_rows("qs-gpu,threads=64", ensemble, rows, N_ROWS);
    for (size_t i = 0; i < N_ROWS; i++)
        assert_true(fabs(scores[i] - expected[i]) < 1e-9);
    for (int run = 0; run < 3; run++) {
        double *again = score_rows("qs-gpu,threads=64", ensemble, rows, N_ROWS);
        assert_memory_equal(again, scores, N_ROWS * sizeof *scores);
        free(again);
    }
    free(expected);
    free(scores);
    matrix_free(rows);
    ensemble_free(ensemble);
}

static void check_refused(const char *spec, struct ensemble *ensemble, enum status status,
                          const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build(spec, ensemble, &scorer, &error), status);
    assert_null(scorer);
    assert_string_equal(error.text, text);
    ensemble_free(ensemble);
}

static void what_cannot_be_done_is_refused(void **state) {
    (void)state;
    skip_without_device();
    check_refused("qs-gpu", words_of(65, 1), STATUS_UNSUPPORTED,
                  "qs-gpu: tree 1 has 65 leaves; the limit is 64. Use planes-gpu or walk-gpu");
    check_refused("qs-gpu,threads=33", stumps(), STATUS_INPUT,
                  "qs-gpu: threads=33: must be a power of two from 32 to 1024, or 0");
    check_refused("qs-gpu,tau=0", stumps(), STATUS_INPUT,
                  "qs-gpu,tau=0: tau must be a positive integer, all or auto");
}

static void a_device_must_be_named(void **state) {
    (void)state;
    unsetenv("TREEBENCH_DEVICE");
    check_refused("qs-gpu", stumps(), STATUS_MACHINE,
                  "qs-gpu: no device is named. Name one with --device cuda or --device opencl");
    assert_false(impl_is_here(impl_find("qs-gpu", NULL)));
    setenv("TREEBENCH_DEVICE", "opencl:9999", 1);
    assert_false(impl_is_here(impl_find("qs-gpu", NULL)));
    setenv("TREEBENCH_DEVICE", "opencl", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forests_of_every_kind),
        cmocka_unit_test(options_change_no_score),
        cmocka_unit_test(every_tau),
        cmocka_unit_test(any_number_of_documents),
        cmocka_unit_test(no_tree_adds_nothing),
        cmocka_unit_test(sums_are_the_same_in_every_run),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(a_device_must_be_named),
    };
    return cmocka_run_group_tests(tests, device_begin, scratch_end);
}
