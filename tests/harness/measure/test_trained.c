/* Models that experiments train: once, reproducibly, and labelled if the data is not real. */
#include "base/origin.h"
#include "harness/measure/trained.h"
#include "harness/measure/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/datasets/own_folder.h"
#include "tests/models/same.h"

static struct workload workload_of(const char *data, uint32_t fold) {
    struct workload w = {
        .kind = "trained", .trees = 2, .max_leaves = 4, .documents = 300, .trial = fold, .seed = 7};
    snprintf(w.data, sizeof w.data, "%s", data);
    return w;
}

static struct trained make(const struct workload *workload) {
    struct trained trained;
    struct error error;
    if (trained_make(folder, workload, &trained, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return trained;
}

static void name_model(char path[256], const char *name) {
    snprintf(path, 256, "%s/models/%s.json", folder, name);
}

static void a_standin_says_so(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 1);
    struct trained t = make(&w);
    assert_string_equal(t.ensemble->note, "trained on a synthetic stand-in for mq2008, seed 4");
    assert_string_equal(t.fold.validation->note, "synthetic stand-in for mq2008, seed 5");
    assert_string_equal(t.fold.test->note, "synthetic stand-in for mq2008, seed 6");
    assert_int_equal(t.fold.train->n_rows, 15211 / 5 * 3);
    assert_true(t.fold.test->n_rows <= 300 && t.fold.test->n_rows > 200);
    assert_int_equal(t.fold.test->query_row[t.fold.test->n_queries], t.fold.test->n_rows);
    assert_int_equal(t.ensemble->n_trees, 2);
    assert_true(t.ensemble->n_leaves <= 8);
    trained_free(&t);
    char path[256];
    name_model(path, "mq2008-standin-fold2-leaves4-trees2-seed7");
    assert_int_equal(access(path, R_OK), 0);
}

/* The validation documents matter only with patience, which is then part of the name. */
static void patience_stops_early(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 0);
    w.trees = 60;
    w.patience = 1;
    struct trained t = make(&w);
    assert_in_range(t.ensemble->n_trees, 1, 59);
    trained_free(&t);
    char path[256];
    name_model(path, "mq2008-standin-fold1-leaves4-trees60-patience1-seed7");
    assert_int_equal(access(path, R_OK), 0);
}

static void only_the_features_used_stand_in(void **state) {
    (void)state;
    struct workload w = workload_of("yahoo-c14-set1", 0);
    w.trees = 1;
    struct trained t = make(&w);
    assert_int_equal(t.fold.train->n_features, 519);
    assert_int_equal(t.fold.train->n_rows, TRAINED_STANDIN_ROWS);
    trained_free(&t);
    w.features = 700;
    t = make(&w);
    assert_int_equal(t.fold.test->n_features, 700);
    trained_free(&t);
}

/* A model in models/ is read: if it is replaced, the replacement is returned. */
static void a_model_is_trained_once(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 0);
    struct trained first = make(&w), again = make(&w);
    assert_true(same_ensemble(first.ensemble, again.ensemble));
    struct workload other = w;
    other.seed = 8;
    struct trained second = make(&other);
    assert_false(same_ensemble(first.ensemble, second.ensemble));
    char from[256], to[256];
    name_model(from, "mq2008-standin-fold1-leaves4-trees2-seed8");
    name_model(to, "mq2008-standin-fold1-leaves4-trees2-seed7");
    assert_int_equal(rename(from, to), 0);
    struct ensemble *loaded = NULL;
    struct matrix *documents = NULL;
    assert_int_equal(trained_load(folder, &w, &loaded, &documents, NULL), STATUS_OK);
    assert_true(same_ensemble(loaded, second.ensemble));
    assert_int_equal(documents->n_rows, first.fold.test->n_rows);
    ensemble_free(loaded);
    matrix_free(documents);
    trained_free(&first);
    trained_free(&again);
    trained_free(&second);
}

static void loading_trains_what_is_not_there(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 0);
    struct ensemble *loaded = NULL;
    struct matrix *documents = NULL;
    assert_int_equal(trained_load(folder, &w, &loaded, &documents, NULL), STATUS_OK);
    struct trained again = make(&w);
    assert_true(same_ensemble(loaded, again.ensemble));
    ensemble_free(loaded);
    matrix_free(documents);
    trained_free(&again);
}

static bool is_among(const struct matrix *documents, const float *row) {
    for (size_t i = 0; i < documents->n_rows; i++)
        if (memcmp(matrix_row(documents, i), row, documents->n_features * sizeof *row) == 0)
            return true;
    return false;
}

/* Some document is drawn twice: fewer than 300 are there. */
static void documents_are_drawn_from_the_test_set(void **state) {
    (void)state;
    struct workload workload = {.kind = "trained",
                                .data = "mq2008",
                                .trees = 2,
                                .max_leaves = 4,
                                .documents = 300,
                                .seed = 7};
    struct workload_inputs all = {.ensemble = NULL}, drawn = all, again = all;
    assert_int_equal(workload_make_inputs(folder, &workload, &all, NULL), STATUS_OK);
    workload.resample = 1000;
    assert_int_equal(workload_make_inputs(folder, &workload, &drawn, NULL), STATUS_OK);
    assert_int_equal(workload_make_inputs(folder, &workload, &again, NULL), STATUS_OK);
    assert_int_equal(drawn.documents->n_rows, 1000);
    assert_in_range(all.documents->n_rows, 100, 300);
    size_t in_order = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(is_among(all.documents, matrix_row(drawn.documents, i)));
        assert_memory_equal(matrix_row(drawn.documents, i), matrix_row(again.documents, i),
                            drawn.documents->stride * sizeof(float));
        in_order += memcmp(matrix_row(drawn.documents, i),
                           matrix_row(all.documents, i % all.documents->n_rows),
                           drawn.documents->stride * sizeof(float)) == 0;
    }
    assert_true(in_order < 100);
    char note[2 * MATRIX_NOTE_SIZE];
    snprintf(note, sizeof note, "%s%s1000 documents resampled from %zu", all.documents->note,
             all.documents->note[0] ? "; " : "", all.documents->n_rows);
    assert_string_equal(drawn.documents->note, note);
    assert_string_equal(drawn.ensemble->note, all.ensemble->note);
    /* the inputs of the test documents do not serve the drawn ones */
    assert_int_equal(workload_make_inputs(folder, &workload, &all, NULL), STATUS_OK);
    assert_int_equal(all.documents->n_rows, 1000);
    workload.seed = 8; /* another model, which is not what this is about, and other documents */
    assert_int_equal(workload_make_inputs(folder, &workload, &again, NULL), STATUS_OK);
    assert_memory_not_equal(matrix_row(again.documents, 0), matrix_row(drawn.documents, 0),
                            1000 * drawn.documents->stride * sizeof(float));
    workload_free_inputs(&all);
    workload_free_inputs(&drawn);
    workload_free_inputs(&again);
}

static struct ensemble *load(const struct workload *workload) {
    struct ensemble *ensemble = NULL;
    struct matrix *documents = NULL;
    struct error error;
    if (trained_load(folder, workload, &ensemble, &documents, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_in_range(documents->n_rows, 100, 300);
    matrix_free(documents);
    return ensemble;
}

/* One file serves all numbers of trees, and is enlarged. */
static void boosted_models_begin_alike(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 0);
    snprintf(w.kind, sizeof w.kind, "boosted");
    w.trees = 6;
    struct ensemble *six = load(&w);
    w.trees = 9;
    struct ensemble *nine = load(&w);
    w.trees = 6;
    struct ensemble *again = load(&w);
    assert_int_equal(nine->n_trees, 9);
    assert_true(same_ensemble(six, again));
    ensemble_keep_first(nine, 6);
    assert_true(same_ensemble(six, nine));
    char path[256];
    name_model(path, "mq2008-standin-boosted-fold1-leaves4-seed0");
    assert_int_equal(access(path, R_OK), 0);
    struct workload_inputs inputs = {.ensemble = NULL};
    w.trees = 9;
    assert_int_equal(workload_make_inputs(folder, &w, &inputs, NULL), STATUS_OK);
    w.trees = 6;
    assert_int_equal(workload_make_inputs(folder, &w, &inputs, NULL), STATUS_OK);
    assert_true(same_ensemble(six, inputs.ensemble));
    workload_free_inputs(&inputs);
    ensemble_free(six);
    ensemble_free(nine);
    ensemble_free(again);
}

/* The tree after those that are boosted is the first one again, or the first of another seed. */
static void many_trees_are_copied_or_boosted_anew(void **state) {
    (void)state;
    struct workload w = workload_of("mq2008", 0);
    w.max_leaves = 2;
    w.trees = 201;
    snprintf(w.kind, sizeof w.kind, "repeated");
    struct ensemble *repeated = load(&w);
    assert_int_equal(repeated->n_trees, 201);
    assert_true(repeated->origin & ORIGIN_COPIED);
    assert_true(repeated->origin & ORIGIN_TRAINED);
    assert_true(repeated->threshold[200] == repeated->threshold[0]);
    assert_true(repeated->feature[200] == repeated->feature[0]);
    w.trees = 1001;
    snprintf(w.kind, sizeof w.kind, "bagged");
    struct ensemble *bagged = load(&w);
    assert_int_equal(bagged->n_trees, 1001);
    assert_false(bagged->origin & ORIGIN_COPIED);
    assert_true(bagged->threshold[1000] != bagged->threshold[0] ||
                bagged->feature[1000] != bagged->feature[0]);
    ensemble_free(repeated);
    ensemble_free(bagged);
}

static void refusals(void **state) {
    (void)state;
    struct trained t;
    struct error error;
    struct workload w = workload_of("letter", 0);
    assert_int_equal(trained_make(folder, &w, &t, &error), STATUS_INPUT);
    assert_string_equal(error.text, "letter: this data set has no queries to learn to rank");
    w = workload_of("nothing", 0);
    assert_int_equal(trained_make(folder, &w, &t, &error), STATUS_INPUT);
    assert_null(t.ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_standin_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patience_stops_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_features_used_stand_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_is_trained_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loading_trains_what_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(documents_are_drawn_from_the_test_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boosted_models_begin_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_trees_are_copied_or_boosted_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
