/* planes-gpu and walk-gpu reach the reference's exit leaves. What they cannot do is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tests/impls/forests.h"
#include "tests/impls/gpu/device_scores.h"

#include <stdio.h>

enum { N_ROWS = 150 };

static bool builds(const char *spec, const struct ensemble *ensemble, struct error *error) {
    struct scorer *scorer = NULL;
    enum status status = scorer_build(spec, ensemble, &scorer, error);
    if (status && status != STATUS_UNSUPPORTED)
        fail_msg("%s", error->text);
    scorer_destroy(scorer);
    return !status;
}

/* Trees of every shape, up to 1,500 leaves; thresholds that are hit, NaN, infinities; sets. Returns
 * how many forests are supported. */
static size_t check_forests(const char *spec) {
    size_t supported = 0;
    for (size_t i = 0; i < FOREST_COUNT; i++) {
        struct device_case checked = case_make(forest_makers[i].make(), N_ROWS);
        struct error error;
        if (builds(spec, checked.ensemble, &error)) {
            check_rows_of(&checked, spec, N_ROWS);
            supported++;
        }
        case_free(&checked);
    }
    return supported;
}

static void planes_of_every_forest(void **state) {
    (void)state;
    skip_without_device();
    assert_int_equal(check_forests("planes-gpu"), FOREST_COUNT - 3);
    assert_in_range(check_forests("planes-gpu,ranks=host"), FOREST_COUNT / 2, FOREST_COUNT - 4);
}

static void walks_of_every_forest(void **state) {
    (void)state;
    skip_without_device();
    assert_int_equal(check_forests("walk-gpu"), FOREST_COUNT - 2);
}

/* A group of words has 1,024 documents, and a block of walks 128. */
static void any_number_of_documents(void **state) {
    (void)state;
    skip_without_device();
    static const size_t counts[] = {0, 1, 31, 33, 127, 129, 1023, 1024, 1025, 2100};
    struct device_case checked = case_make(nan_goes_left(), 2100);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_rows_of(&checked, "planes-gpu", counts[i]);
        check_rows_of(&checked, "planes-gpu,parts=4,batch=1030", counts[i]);
        check_rows_of(&checked, "planes-gpu,ranks=host", counts[i]);
        check_rows_of(&checked, "planes-gpu,batch=1030,ranks=host", counts[i]);
        check_rows_of(&checked, "walk-gpu", counts[i]);
        check_rows_of(&checked, "walk-gpu,batch=130", counts[i]);
    }
    case_free(&checked);
}

static void every_number_of_parts(void **state) {
    (void)state;
    skip_without_device();
    struct device_case checked = case_make(several_outputs(), 40);
    for (uint32_t parts = 1; parts <= checked.ensemble->n_trees + 1; parts++) {
        char spec[64];
        snprintf(spec, sizeof spec, "planes-gpu,parts=%u", parts);
        check_rows_of(&checked, spec, 40);
    }
    case_free(&checked);
}

static void no_tree_adds_nothing(void **state) {
    (void)state;
    skip_without_device();
    static const char *const specs[] = {"planes-gpu", "walk-gpu"};
    struct device_case checked = case_make(stumps(), 33);
    ensemble_keep_first(checked.ensemble, 0);
    for (size_t i = 0; i < 2; i++) {
        double *scores = score_rows(specs[i], checked.ensemble, checked.rows, 33);
        for (size_t row = 0; row < 33; row++)
            assert_true(scores[row] == FIRST_SCORE);
        free(scores);
    }
    case_free(&checked);
}

/* With one part, values are added in the order of the trees, so sums that are not exact have the
 * reference's bits too. With several parts, they have the same bits in every run. */
static void sums_are_in_a_fixed_order(void **state) {
    (void)state;
    skip_without_device();
    const struct synth_shape shape = {.depth = 4, .n_features = 9, .n_trees = 100};
    struct ensemble *ensemble = NULL;
    struct matrix *rows = NULL;
    assert_int_equal(synth_trees(&shape, 3, &ensemble, NULL), STATUS_OK);
    assert_int_equal(synth_probes(ensemble, N_ROWS, 1, &rows, NULL), STATUS_OK);
    double *planes = score_rows("planes-gpu,parts=1", ensemble, rows, N_ROWS);
    double *walks = score_rows("walk-gpu", ensemble, rows, N_ROWS);
    double *parts = score_rows("planes-gpu,parts=7", ensemble, rows, N_ROWS);
    double *again = score_rows("planes-gpu,parts=7", ensemble, rows, N_ROWS);
    assert_memory_equal(planes, walks, N_ROWS * sizeof *planes);
    assert_memory_equal(parts, again, N_ROWS * sizeof *parts);
    for (size_t i = 0; i < N_ROWS; i++)
        assert_true(fabs(parts[i] - planes[i]) < 1e-9);
    free(planes);
    free(walks);
    free(parts);
    free(again);
    matrix_free(rows);
    ensemble_free(ensemble);
}

static void check_refused(const char *spec, struct ensemble *ensemble, const char *text) {
    struct error error = {""};
    assert_false(builds(spec, ensemble, &error));
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
    ensemble_free(ensemble);
}

static struct ensemble *many_features(void) {
    struct forest forest = forest_begin(40000, 1);
    for (int i = 0; i < 40; i++)
        forest_add_balanced(&forest, 2);
    return forest_end(&forest);
}

static void what_cannot_be_done_is_refused(void **state) {
    (void)state;
    skip_without_device();
    check_refused("planes-gpu", long_chain(), "planes-gpu: tree 0 has 301 leaves and is 300 deep");
    check_refused("planes-gpu,ranks=host", large_trees(), " different thresholds. Leave out ranks");
    check_refused("walk-gpu", many_features(), " is tested; the limit is 32766. Use planes-gpu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_of_every_forest),
        cmocka_unit_test(walks_of_every_forest),
        cmocka_unit_test(any_number_of_documents),
        cmocka_unit_test(every_number_of_parts),
        cmocka_unit_test(no_tree_adds_nothing),
        cmocka_unit_test(sums_are_in_a_fixed_order),
        cmocka_unit_test(what_cannot_be_done_is_refused),
    };
    return cmocka_run_group_tests(tests, device_begin, scratch_end);
}
