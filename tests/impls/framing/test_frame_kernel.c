/* The partition of a tree into likely nodes within a budget of bytes, and the rest. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/framing/frame_kernel.h"
#include "tests/impls/forests.h"
#include "tests/impls/framing/counted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* buschjaeger2018, Fig. 1: 0 -> 1, 2; 1 -> 3, 4; 2 -> 5, 6. Documents go to 2, to 6 and to 3. */
static uint32_t left_1[] = {1, 3, 5, FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE};
static uint32_t right_1[] = {2, 4, 6, FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE};
static double weight_1[] = {100, 30, 70, 20, 10, 25, 45};
static const struct frame_tree figure_1 = {7, left_1, right_1, weight_1, NULL};

static const struct frame_bytes sizes = {.split = 10, .leaf = 5};

static void check_figure_1(size_t budget, bool strict, const char *expected) {
    struct frame_kernel kernel;
    struct memory_pool pool = {0};
    char text[32] = "";
    frame_kernel_create(&kernel, figure_1.n_nodes, &pool);
    frame_kernel_choose(&kernel, &figure_1, sizes, budget, strict);
    for (uint32_t node = 0; node < figure_1.n_nodes; node++)
        if (kernel.has[node])
            sprintf(text + strlen(text), "%u", node);
    assert_string_equal(text, expected);
    memory_pool_free(&pool);
}

/* Paths in their order: 0 2 6, 0 2 5, 0 1 3, 0 1 4. */
static void paths_enter_in_the_order_of_their_probabilities(void **state) {
    (void)state;
    check_figure_1(0, false, "");
    check_figure_1(9, false, "");
    check_figure_1(10, false, "0");
    check_figure_1(20, false, "02");
    check_figure_1(25, false, "026");
    check_figure_1(30, false, "0256");
    check_figure_1(40, false, "01256");
    check_figure_1(45, false, "012356");
    check_figure_1(50, false, "0123456");
    check_figure_1(SIZE_MAX, false, "0123456");
}

/* Of the path 0 1 3, the leaf would fit. */
static void below_a_node_outside_nothing_enters(void **state) {
    (void)state;
    check_figure_1(37, false, "0256");
}

static void a_later_smaller_node_may_enter(void **state) {
    (void)state;
    uint32_t left[] = {1, FRAME_NONE, 3, FRAME_NONE, FRAME_NONE};
    uint32_t right[] = {2, FRAME_NONE, 4, FRAME_NONE, FRAME_NONE};
    double weight[] = {100, 30, 70, 40, 30};
    const struct frame_tree tree = {5, left, right, weight, NULL};
    struct frame_kernel kernel;
    struct memory_pool pool = {0};
    const bool expected[] = {true, true, false, false, false};
    frame_kernel_create(&kernel, tree.n_nodes, &pool);
    frame_kernel_choose(&kernel, &tree, sizes, 15, false); /* 2 does not fit, leaf 1 does */
    assert_memory_equal(kernel.has, expected, sizeof expected);
    memory_pool_free(&pool);
}

static void strict_ends_with_the_first_node_over_the_budget(void **state) {
    (void)state;
    check_figure_1(0, true, "0");
    check_figure_1(10, true, "02");
    check_figure_1(20, true, "026");
    check_figure_1(24, true, "026");
    check_figure_1(25, true, "0256");
    check_figure_1(30, true, "01256");
    check_figure_1(50, true, "0123456");
}

static void equal_leaves_enter_from_the_left(void **state) {
    (void)state;
    double equal[] = {4, 2, 2, 1, 1, 1, 1};
    const struct frame_tree tree = {7, left_1, right_1, equal, NULL};
    struct frame_kernel kernel;
    struct memory_pool pool = {0};
    frame_kernel_create(&kernel, tree.n_nodes, &pool);
    frame_kernel_choose(&kernel, &tree, sizes, 30, false);
    const bool expected[] = {true, true, false, true, true, false, false};
    assert_memory_equal(kernel.has, expected, sizeof expected);
    assert_true(kernel.stay == 0.5);
    assert_true(kernel.probability == 1 + 0.5 + 0.25 + 0.25);
    memory_pool_free(&pool);
}

/* --- random trees ----------------------------------------------------------------------------- */

static void check_partition(const struct frame_tree *tree, const struct frame_kernel *kernel,
                            size_t budget) {
    size_t bytes = 0;
    double stay = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        bool is_leaf = frame_is_leaf(tree, node);
        if (kernel->has[node]) {
            bytes += is_leaf ? sizes.leaf : sizes.split;
            stay += is_leaf ? tree->weight[node] / tree->weight[0] : 0;
        }
        if (is_leaf)
            continue;
        const uint32_t children[] = {tree->left[node], tree->right[node]};
        for (int i = 0; i < 2; i++) {
            size_t more = frame_is_leaf(tree, children[i]) ? sizes.leaf : sizes.split;
            if (!kernel->has[node])
                assert_false(kernel->has[children[i]]);
            else if (!kernel->has[children[i]]) /* it did not fit */
                assert_true(kernel->bytes + more > budget);
        }
    }
    assert_int_equal(bytes, kernel->bytes);
    assert_true(bytes <= budget);
    assert_true(fabs(stay - kernel->stay) < 1e-9);
}

static void any_tree_is_divided_within_the_budget(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 41);
    for (uint32_t leaves = 1; leaves < 400; leaves += 57)
        forest_add_random_tree(&forest, leaves);
    forest_add_chain(&forest, 300, CHAIN_ZIGZAG);
    struct ensemble *ensemble = forest_end(&forest);
    struct matrix *rows = NULL;
    assert_int_equal(synth_probes(ensemble, 300, 1, &rows, NULL), STATUS_OK);
    count_rows(ensemble, rows);
    struct frame_tree tree;
    struct frame_kernel kernel;
    struct memory_pool pool = {0};
    frame_tree_create(&tree, ensemble_largest_tree(ensemble), &pool);
    frame_kernel_create(&kernel, ensemble_largest_tree(ensemble), &pool);
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        double before = 0;
        frame_tree_fill(&tree, ensemble, t);
        for (size_t budget = 0; budget < 7000; budget = budget * 2 + 13) {
            frame_kernel_choose(&kernel, &tree, sizes, budget, false);
            check_partition(&tree, &kernel, budget);
            before = kernel.stay;
        }
        assert_true(before > 0.999);
    }
    memory_pool_free(&pool);
    ensemble_free(ensemble);
    matrix_free(rows);
}

/* The default budget of a tree is a cache. */
static void the_budget_is_a_cache(void **state) {
    (void)state;
    assert_in_range(ifelse_cache_bytes(), 4096, 16 << 20);
    for (int i = 0; i < 4; i++) {
        struct frame_bytes bytes = ifelse_node_bytes(i & 1, i & 2);
        assert_in_range(bytes.leaf, 4, 16);
        assert_in_range(bytes.split, 12, 48);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_enter_in_the_order_of_their_probabilities),
        cmocka_unit_test(below_a_node_outside_nothing_enters),
        cmocka_unit_test(a_later_smaller_node_may_enter),
        cmocka_unit_test(strict_ends_with_the_first_node_over_the_budget),
        cmocka_unit_test(equal_leaves_enter_from_the_left),
        cmocka_unit_test(any_tree_is_divided_within_the_budget),
        cmocka_unit_test(the_budget_is_a_cache),
    };
    return cmocka_run_group_tests_name("frame_kernel", tests, NULL, NULL);
}
