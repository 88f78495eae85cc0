/* False nodes: of a small model by hand, NaN and sets, samples of documents, models of leaves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/measure/describe.h"

#include <math.h>

/* Tree 0: feature 0 <= 1; left, feature 1 <= 5 with NaN to the left; right, a leaf.
 * Tree 1: feature 1 in (-inf, 2] or (4, 6]. */
static struct ensemble *make_model(void) {
    struct ensemble *model = NULL;
    struct ensemble_builder *builder = ensemble_builder_create();
    const double cuts[] = {2, 4, 6};
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_inner(builder,
                               &(struct inner_node){0, 1, 1, 2, .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_inner(
        builder, &(struct inner_node){1, 5, 3, 4, .nan_left = true, .count = ENSEMBLE_NO_COUNT});
    for (int i = 0; i < 3; i++)
        ensemble_builder_add_leaf(builder, i, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_inner(builder, &(struct inner_node){.feature = 1,
                                                             .left = 1,
                                                             .right = 2,
                                                             .count = ENSEMBLE_NO_COUNT,
                                                             .cuts = cuts,
                                                             .n_cuts = 3});
    for (int i = 0; i < 2; i++)
        ensemble_builder_add_leaf(builder, i, ENSEMBLE_NO_COUNT);
    struct error error = {""};
    const struct ensemble_shape shape = {.n_features = 2};
    if (ensemble_builder_finish(builder, &shape, &model, &error))
        fail_msg("%s", error.text);
    return model;
}

static struct matrix *make_documents(const float (*values)[2], size_t n) {
    struct matrix *documents = NULL;
    assert_int_equal(matrix_create(n, 2, &documents, NULL), STATUS_OK);
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < 2; i++)
            matrix_row(documents, row)[i] = values[row][i];
    return documents;
}

/* A node counts even if no path reaches it: the document (2, 7) leaves tree 0 at the root. */
static void nodes_that_no_path_reaches_count(void **state) {
    (void)state;
    static const float values[][2] = {{1, 5}, {2, 7}, {2, 5}, {NAN, NAN}, {0, 3}};
    /* false: none; all three; the root; the root and the set; the set */
    static const double false_in[] = {0, 3, 1, 2, 1};
    struct ensemble *model = make_model();
    for (size_t row = 0; row < 5; row++) {
        struct matrix *document = make_documents(&values[row], 1);
        struct false_nodes found = false_nodes_count(model, document, 1000);
        assert_true(found.per_tree == false_in[row] / 2);
        assert_int_equal(found.documents, 1);
        matrix_free(document);
    }
    struct matrix *all = make_documents(values, 5);
    struct false_nodes found = false_nodes_count(model, all, 1000);
    assert_int_equal(found.documents, 5);
    assert_true(fabs(found.per_tree - 7.0 / 5 / 2) < 1e-12);
    assert_true(fabs(found.share - 7.0 / 5 / 3) < 1e-12);
    matrix_free(all);
    ensemble_free(model);
}

/* Of 6 documents, 3 can be tested with 9 to 11 tests: the first, the third and the fifth. */
static void a_sample_is_spread_over_the_documents(void **state) {
    (void)state;
    static const float values[][2] = {{1, 5}, {2, 7}, {2, 7}, {1, 5}, {1, 5}, {1, 5}};
    struct ensemble *model = make_model();
    struct matrix *documents = make_documents(values, 6);
    struct false_nodes found = false_nodes_count(model, documents, 11);
    assert_int_equal(found.documents, 3);
    assert_true(found.per_tree == 3.0 / 3 / 2);
    found = false_nodes_count(model, documents, 1); /* at least one */
    assert_int_equal(found.documents, 1);
    assert_true(found.per_tree == 0);
    found = false_nodes_count(model, documents, 18); /* exactly enough for all */
    assert_int_equal(found.documents, 6);
    matrix_free(documents);
    ensemble_free(model);
}

static void single_leaves_have_no_false_nodes(void **state) {
    (void)state;
    static const float values[][2] = {{1, 5}};
    struct ensemble *model = NULL;
    struct ensemble_builder *builder = ensemble_builder_create();
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
    const struct ensemble_shape shape = {.n_features = 2};
    assert_int_equal(ensemble_builder_finish(builder, &shape, &model, NULL), STATUS_OK);
    struct matrix *documents = make_documents(values, 1);
    struct false_nodes found = false_nodes_count(model, documents, 1000);
    assert_true(found.per_tree == 0);
    assert_true(isnan(found.share));
    matrix_free(documents);
    ensemble_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_no_path_reaches_count),
        cmocka_unit_test(a_sample_is_spread_over_the_documents),
        cmocka_unit_test(single_leaves_have_no_false_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
