/* Where STRUCT+ puts the nodes of a tree. The scores are in test_exactness.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "datasets/matrix.h"
#include "impls/plain/struct_tree.h"
#include "impls/scorer.h"
#include "synth/grown.h"
#include "synth/synth.h"

enum { TREES = 3 };

/* The trees are ragged, so that no layout is that of another by chance. */
static void build(const char *variant, struct scorer **scorer) {
    const struct synth_shape documents_shape = {.depth = 4, .n_features = 8, .n_trees = 1};
    const struct grown_shape shape = {.n_trees = TREES, .max_leaves = 24};
    struct ensemble *balanced = NULL, *ensemble = NULL;
    struct matrix *documents = NULL;
    assert_int_equal(synth_trees(&documents_shape, 1, &balanced, NULL), 0);
    assert_int_equal(synth_documents(balanced, 512, 2, &documents, NULL), 0);
    assert_int_equal(synth_grown(documents, &shape, 3, &ensemble, NULL), 0);
    assert_int_equal(scorer_build(variant, ensemble, scorer, NULL), 0);
    ensemble_free(balanced);
    ensemble_free(ensemble);
    matrix_free(documents);
}

static const struct struct_node *root_of(const struct scorer *scorer, size_t tree) {
    return ((const struct struct_scorer *)scorer)->trees[tree].root;
}

/* Checks the subtree of a node, and returns the node after it. */
static const struct struct_node *check_depth_first(const struct struct_node *node) {
    if (!node->left)
        return node + 1;
    assert_ptr_equal(node->left, node + 1);
    const struct struct_node *next = check_depth_first(node->left);
    assert_ptr_equal(node->right, next);
    return check_depth_first(node->right);
}

static void depth_first_a_subtree_is_in_one_piece(void **state) {
    (void)state;
    struct scorer *scorer = NULL;
    build("struct-plus", &scorer);
    for (size_t t = 0; t < TREES; t++)
        assert_true(check_depth_first(root_of(scorer, t)) > root_of(scorer, t) + 3);
    scorer_destroy(scorer);
}

static void breadth_first_children_follow_the_nodes_before_them(void **state) {
    (void)state;
    struct scorer *scorer = NULL;
    build("struct-plus,layout=breadth", &scorer);
    for (size_t t = 0; t < TREES; t++) {
        const struct struct_node *node = root_of(scorer, t), *next = node + 1;
        for (; node < next; node++) {
            if (!node->left)
                continue;
            assert_ptr_equal(node->left, next);
            assert_ptr_equal(node->right, next + 1);
            next += 2;
        }
    }
    scorer_destroy(scorer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_first_a_subtree_is_in_one_piece),
        cmocka_unit_test(breadth_first_children_follow_the_nodes_before_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
