/* Verification finds every traversal that is wrong, on documents and on probes. The wrong ones are
 * made here: a plain traversal with one fault at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/measure/verify.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "synth/synth.h"

/* --- a traversal with a fault ----------------------------------------------------------------- */

enum { NONE = -1 };

struct fault {
    long strict_node;   /* `<` instead of `<=` at this node of the ensemble */
    long nan_node;      /* the wrong side for NaN at this node */
    bool forgets_tail;  /* leaves out what does not fill four lanes */
    bool shared_only;   /* leaves out the first tree of a share that is not the first */
    double added;       /* to every score */
    double multiplying; /* every score of a tree */
};
static const struct fault no_fault = {.strict_node = NONE, .nan_node = NONE, .multiplying = 1};

struct faulty {
    struct scorer scorer;
    const struct ensemble *ensemble;
    struct fault fault;
};

static double exit_value(const struct faulty *faulty, size_t tree, const float *x) {
    const struct ensemble *e = faulty->ensemble;
    int32_t child = e->tree_node[tree + 1] > e->tree_node[tree] ? 0 : ~0;
    while (child >= 0) {
        size_t node = e->tree_node[tree] + (size_t)child;
        float value = x[e->feature[node]];
        bool left = value <= e->threshold[node];
        if (faulty->fault.strict_node == (long)node)
            left = value < e->threshold[node];
        if (isnan(value))
            left = e->nan_left[node] != (faulty->fault.nan_node == (long)node);
        child = left ? e->left[node] : e->right[node];
    }
    return e->value[e->tree_leaf[tree] + (size_t)~child];
}

static void faulty_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct faulty *faulty = (const struct faulty *)scorer;
    const struct ensemble *e = faulty->ensemble;
    size_t end = faulty->fault.forgets_tail ? docs.end - (docs.end - docs.begin) % 4 : docs.end;
    size_t first = units.begin + (faulty->fault.shared_only && units.begin > 0);
    for (size_t tree = first; tree < units.end; tree++)
        for (size_t doc = docs.begin; doc < end; doc++)
            batch->scores[doc * e->n_outputs + e->tree_output[tree]] +=
                exit_value(faulty, tree, batch->x + doc * batch->stride) *
                    faulty->fault.multiplying +
                faulty->fault.added;
}

static const struct impl impl_faulty = {.name = "faulty", .score = faulty_score};

static struct verification check_plan(const struct ensemble *ensemble,
                                      const struct matrix *documents, struct fault fault,
                                      const struct plan *plan) {
    struct faulty faulty = {.scorer = {.impl = &impl_faulty,
                                       .n_units = ensemble->n_trees,
                                       .lanes = 1,
                                       .n_features = ensemble->n_features,
                                       .n_outputs = ensemble->n_outputs},
                            .ensemble = ensemble,
                            .fault = fault};
    struct verifier *verifier;
    struct verification verification;
    struct error error;
    assert_int_equal(verifier_create(ensemble, documents, &verifier, &error), STATUS_OK);
    assert_int_equal(
        plan ? verifier_check_plan(verifier, &faulty.scorer, plan, &verification, &error)
             : verifier_check(verifier, &faulty.scorer, NULL, &verification, &error),
        STATUS_OK);
    verifier_free(verifier);
    return verification;
}

static struct verification check(const struct ensemble *ensemble, const struct matrix *documents,
                                 struct fault fault) {
    return check_plan(ensemble, documents, fault, NULL);
}

/* --- what is verified ------------------------------------------------------------------------- */

static struct ensemble *make_trees(uint32_t depth, uint32_t n_features, uint32_t n_trees) {
    struct ensemble *ensemble;
    struct error error;
    const struct synth_shape shape = {depth, n_features, n_trees};
    assert_int_equal(synth_trees(&shape, 7, &ensemble, &error), STATUS_OK);
    return ensemble;
}

static struct matrix *make_documents(const struct ensemble *ensemble, size_t n_rows) {
    struct matrix *documents;
    struct error error;
    assert_int_equal(synth_documents(ensemble, n_rows, 8, &documents, &error), STATUS_OK);
    return documents;
}

/* Two outputs of one stump each: output 0 tests x[0] <= 1, output 1 tests x[1] <= 2. */
static struct ensemble *make_stumps(void) {
    struct ensemble_builder *builder = ensemble_builder_create();
    assert_non_null(builder);
    for (uint32_t output = 0; output < 2; output++) {
        const struct inner_node stump = {.feature = output,
                                         .threshold = (float)(output + 1),
                                         .left = 1,
                                         .right = 2,
                                         .count = ENSEMBLE_NO_COUNT};
        ensemble_builder_add_tree(builder, output);
        ensemble_builder_add_inner(builder, &stump);
        ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(builder, 2, ENSEMBLE_NO_COUNT);
    }
    struct ensemble *ensemble;
    struct error error;
    const struct ensemble_shape shape = {.n_features = 2, .n_outputs = 2};
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, &error), STATUS_OK);
    return ensemble;
}

static void a_right_traversal_agrees(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(5, 8, 4);
    struct matrix *documents = make_documents(ensemble, 2500);
    struct verification found = check(ensemble, documents, no_fault);
    assert_true(found.agrees);
    assert_true(found.largest_difference == 0);
    matrix_free(documents);
    ensemble_free(ensemble);
}

static void probes_alone_are_enough(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3, 8, 2);
    struct fault fault = no_fault;
    assert_true(check(ensemble, NULL, fault).agrees);
    fault.multiplying = 1 + 1e-15;
    struct verification found = check(ensemble, NULL, fault);
    assert_false(found.agrees);
    assert_true(found.probe);
    ensemble_free(ensemble);
}

static void a_strict_comparison_at_any_node_is_found(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4, 8, 3);
    for (long node = 0; node < (long)ensemble->n_nodes; node++) {
        struct fault fault = no_fault;
        fault.strict_node = node;
        struct verification found = check(ensemble, NULL, fault);
        if (found.agrees)
            fail_msg("`<` at node %ld was not found", node);
    }
    ensemble_free(ensemble);
}

static void a_wrong_side_for_nan_is_found(void **state) {
    (void)state;
    /* Many features: if one repeats on a path, no NaN reaches the second node. */
    struct ensemble *ensemble = make_trees(3, 512, 1);
    for (long node = 0; node < (long)ensemble->n_nodes; node++) {
        struct fault fault = no_fault;
        fault.nan_node = node;
        if (check(ensemble, NULL, fault).agrees)
            fail_msg("the wrong side for NaN at node %ld was not found", node);
    }
    ensemble_free(ensemble);
}

static void the_last_bit_counts(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3, 4, 2);
    struct fault fault = no_fault;
    fault.multiplying = nextafter(1, 2);
    assert_false(check(ensemble, NULL, fault).agrees);
    ensemble_free(ensemble);
}

static void a_forgotten_tail_is_found(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3, 4, 1);
    struct matrix *documents = make_documents(ensemble, 4096);
    struct fault fault = no_fault;
    fault.forgets_tail = true;
    assert_false(check(ensemble, documents, fault).agrees);
    matrix_free(documents);
    ensemble_free(ensemble);
}

/* Leaves of many magnitudes, so that sums depend on their order. */
static struct ensemble *make_uneven_trees(void) {
    struct ensemble *ensemble = make_trees(4, 6, 40);
    for (size_t leaf = 0; leaf < ensemble->n_leaves; leaf++)
        ensemble->value[leaf] = (double)(leaf % 7 + 1) / 3 * (leaf % 3 ? 1 : 1e-7);
    return ensemble;
}

static void threads_are_checked_in_their_own_way(void **state) {
    (void)state;
    struct ensemble *ensemble = make_uneven_trees();
    struct matrix *documents = make_documents(ensemble, 1500);
    for (enum parallel parallel = PARALLEL_DOCUMENTS; parallel <= PARALLEL_BOTH; parallel++) {
        const struct plan plan = {.threads = 4, .parallel = parallel};
        struct verification found = check_plan(ensemble, documents, no_fault, &plan);
        assert_true(found.agrees);
        struct fault fault = no_fault;
        fault.shared_only = true; /* right by one thread */
        assert_true(check(ensemble, documents, fault).agrees);
        found = check_plan(ensemble, documents, fault, &plan);
        assert_int_equal(found.agrees, parallel == PARALLEL_DOCUMENTS);
        fault = no_fault;
        fault.added = 1e-9; /* more than rounding could */
        assert_false(check_plan(ensemble, documents, fault, &plan).agrees);
    }
    matrix_free(documents);
    ensemble_free(ensemble);
}

/* The faulty traversal, presented as another kind. */
static struct verification check_as(const struct impl *impl, uint32_t float_trees,
                                    const struct ensemble *ensemble, const struct matrix *documents,
                                    struct fault fault, float zeros_up_to) {
    struct faulty faulty = {.scorer = {.impl = impl,
                                       .n_units = ensemble->n_trees,
                                       .n_features = ensemble->n_features,
                                       .n_outputs = ensemble->n_outputs,
                                       .zeros_up_to = zeros_up_to,
                                       .float_trees = float_trees},
                            .ensemble = ensemble,
                            .fault = fault};
    struct verifier *verifier;
    struct verification verification;
    assert_int_equal(verifier_create(ensemble, documents, &verifier, NULL), STATUS_OK);
    assert_int_equal(verifier_check(verifier, &faulty.scorer, NULL, &verification, NULL),
                     STATUS_OK);
    verifier_free(verifier);
    return verification;
}

/* Like a library that takes small numbers for zero. */
static struct verification check_library(const struct ensemble *ensemble,
                                         const struct matrix *documents, struct fault fault,
                                         float zeros_up_to) {
    static const struct impl library = {
        .name = "library", .kind = IMPL_LIBRARY, .score = faulty_score};
    return check_as(&library, 0, ensemble, documents, fault, zeros_up_to);
}

/* 40 trees, largest leaves 7/3: float32 may make 40 * 2^-23 * 40 * 7/3 = 4.5e-4 of it. */
static void libraries_are_allowed_rounding_of_float32(void **state) {
    (void)state;
    struct ensemble *ensemble = make_uneven_trees();
    struct fault fault = no_fault;
    struct verification found = check_library(ensemble, NULL, fault, 0);
    assert_true(found.agrees && found.largest_difference == 0);
    fault.added = 1e-5;
    found = check_library(ensemble, NULL, fault, 0);
    assert_true(found.agrees);
    assert_true(found.largest_difference > 3.9e-4 && found.largest_difference < found.rounding);
    assert_true(found.rounding < 4.6e-4);
    fault.added = 1.2e-5; /* 40 times */
    assert_false(check_library(ensemble, NULL, fault, 0).agrees);
    fault.added = NAN;
    assert_false(check_library(ensemble, NULL, fault, 0).agrees);
    ensemble_free(ensemble);
}

static void who_adds_in_floats_is_asked_for_leaves(void **state) {
    (void)state;
    static const struct impl library = {.kind = IMPL_LIBRARY}, object = {.kind = IMPL_OBJECT},
                             traversal = {.kind = IMPL_TRAVERSAL};
    assert_true(verifier_needs_leaves(&(struct scorer){.impl = &library}));
    assert_true(verifier_needs_leaves(&(struct scorer){.impl = &traversal, .float_trees = 64}));
    assert_false(verifier_needs_leaves(&(struct scorer){.impl = &traversal}));
    assert_false(verifier_needs_leaves(&(struct scorer){.impl = &object, .float_trees = 1}));
}

/* Integers of this many trees are exact in float32, but not those of all trees. */
static void float_sums_of_integers_are_exact_so_many_at_a_time(void **state) {
    (void)state;
    static const struct impl impl = {
        .name = "floats", .kind = IMPL_TRAVERSAL, .score = faulty_score};
    struct ensemble *ensemble = make_trees(4, 6, 40);
    for (size_t leaf = 0; leaf < ensemble->n_leaves; leaf++)
        ensemble->value[leaf] = (double)(1 << 20);
    assert_true(check_as(&impl, 16, ensemble, NULL, no_fault, 0).rounding == 0);
    assert_true(check_as(&impl, 17, ensemble, NULL, no_fault, 0).rounding > 0);
    ensemble_free(ensemble);
}

/* 8 of 40 trees at a time: a fifth of that, 9e-5. */
static void float_sums_are_allowed_rounding_of_so_many_trees(void **state) {
    (void)state;
    static const struct impl impl = {
        .name = "floats", .kind = IMPL_TRAVERSAL, .score = faulty_score};
    struct ensemble *uneven = make_uneven_trees(), *exact;
    struct fault fault = no_fault;
    fault.added = 2e-6; /* 40 times */
    struct verification found = check_as(&impl, 8, uneven, NULL, fault, 0);
    assert_true(found.agrees);
    assert_true(found.rounding > 8.8e-5 && found.rounding < 9e-5);
    fault.added = 2.4e-6;
    assert_false(check_as(&impl, 8, uneven, NULL, fault, 0).agrees);
    assert_int_equal(ensemble_copy_with_exact_leaves(uneven, 1, &exact, NULL), STATUS_OK);
    assert_true(check_as(&impl, 8, exact, NULL, no_fault, 0).rounding == 0);
    fault.added = 1e-9;
    assert_false(check_as(&impl, 8, exact, NULL, fault, 0).agrees);
    assert_false(check_as(&impl, 0, uneven, NULL, fault, 0).agrees);
    ensemble_free(exact);
    ensemble_free(uneven);
}

static void libraries_are_allowed_nothing_where_float32_is_exact(void **state) {
    (void)state;
    struct ensemble *uneven = make_uneven_trees(), *exact;
    assert_int_equal(ensemble_copy_with_exact_leaves(uneven, 1, &exact, NULL), STATUS_OK);
    struct fault fault = no_fault;
    assert_true(check_library(exact, NULL, fault, 0).rounding == 0);
    fault.added = 1e-9;
    assert_false(check_library(exact, NULL, fault, 0).agrees);
    ensemble_free(exact);
    ensemble_free(uneven);
}

/* Only documents on a threshold that is one of the small numbers are left out. */
static void what_libraries_take_for_zero_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps();
    struct matrix *documents;
    struct fault fault = no_fault;
    fault.strict_node = 0;
    ensemble->threshold[0] = 1e-36f;
    assert_int_equal(matrix_create(3, 2, &documents, NULL), STATUS_OK);
    matrix_row(documents, 2)[0] = 1e-36f;
    struct verification found = check_library(ensemble, documents, fault, 0);
    assert_false(found.agrees);
    assert_int_equal(found.document, 2);
    assert_true(check_library(ensemble, documents, fault, 1e-35f).agrees);
    fault.strict_node = 1;
    assert_false(check_library(ensemble, documents, fault, 1e-35f).agrees);
    matrix_free(documents);
    ensemble_free(ensemble);
}

/* The leaves of a correct library, and of a wrong one. */
static void leaves_are_those_of_the_reference(void **state) {
    (void)state;
    struct ensemble *ensemble = make_uneven_trees();
    struct verification found;
    struct verifier *verifier;
    assert_int_equal(verifier_create(ensemble, NULL, &verifier, NULL), STATUS_OK);
    assert_int_equal(verifier_check_leaves(verifier, "xgboost", &found, NULL), STATUS_OK);
    assert_true(found.agrees && found.rounding == 0);
    assert_int_equal(verifier_check_leaves(verifier, "noop", &found, NULL), STATUS_OK);
    assert_false(found.agrees);
    verifier_free(verifier);
    ensemble_free(ensemble);
}

static void a_score_that_is_no_number_is_found(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(2, 4, 1);
    struct fault fault = no_fault;
    fault.added = NAN;
    struct verification found = check(ensemble, NULL, fault);
    assert_false(found.agrees);
    assert_true(isinf(found.largest_difference));
    ensemble_free(ensemble);
}

/* Among many documents, the one whose second output differs is named with its scores. */
static void the_first_document_that_differs_is_named(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps();
    struct matrix *documents;
    struct error error;
    assert_int_equal(matrix_create(3000, 2, &documents, &error), STATUS_OK);
    matrix_row(documents, 2345)[1] = 2;
    struct fault fault = no_fault;
    fault.strict_node = 1;
    struct verification found = check(ensemble, documents, fault);
    assert_false(found.agrees);
    assert_false(found.probe);
    assert_int_equal(found.document, 2345);
    assert_true(found.expected == 1);
    assert_true(found.found == 2);
    assert_true(found.largest_difference == 1);
    matrix_free(documents);
    ensemble_free(ensemble);
}

static void narrow_documents_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps();
    struct matrix *documents;
    struct verifier *verifier = NULL;
    struct error error;
    assert_int_equal(matrix_create(3, 1, &documents, &error), STATUS_OK);
    assert_int_equal(verifier_create(ensemble, documents, &verifier, &error), STATUS_INPUT);
    assert_null(verifier);
    assert_non_null(strstr(error.text, "1 features"));
    matrix_free(documents);
    ensemble_free(ensemble);
}

static void a_scorer_of_another_ensemble_is_refused(void **state) {
    (void)state;
    struct ensemble *narrow = make_trees(2, 4, 1), *stumps = make_stumps();
    struct verifier *verifier;
    struct scorer *scorer;
    struct verification verification;
    struct error error;
    assert_int_equal(verifier_create(narrow, NULL, &verifier, &error), STATUS_OK);
    assert_int_equal(scorer_build("reference", stumps, &scorer, &error), STATUS_OK);
    assert_int_equal(verifier_check(verifier, scorer, NULL, &verification, &error), STATUS_INPUT);
    scorer_destroy(scorer);
    verifier_free(verifier);
    ensemble_free(stumps);
    ensemble_free(narrow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_traversal_agrees),
        cmocka_unit_test(probes_alone_are_enough),
        cmocka_unit_test(a_strict_comparison_at_any_node_is_found),
        cmocka_unit_test(a_wrong_side_for_nan_is_found),
        cmocka_unit_test(the_last_bit_counts),
        cmocka_unit_test(a_forgotten_tail_is_found),
        cmocka_unit_test(threads_are_checked_in_their_own_way),
        cmocka_unit_test(libraries_are_allowed_rounding_of_float32),
        cmocka_unit_test(who_adds_in_floats_is_asked_for_leaves),
        cmocka_unit_test(float_sums_of_integers_are_exact_so_many_at_a_time),
        cmocka_unit_test(float_sums_are_allowed_rounding_of_so_many_trees),
        cmocka_unit_test(libraries_are_allowed_nothing_where_float32_is_exact),
        cmocka_unit_test(what_libraries_take_for_zero_is_left_out),
        cmocka_unit_test(leaves_are_those_of_the_reference),
        cmocka_unit_test(a_score_that_is_no_number_is_found),
        cmocka_unit_test(the_first_document_that_differs_is_named),
        cmocka_unit_test(narrow_documents_are_refused),
        cmocka_unit_test(a_scorer_of_another_ensemble_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
