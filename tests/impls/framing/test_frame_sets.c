/* The order of nodes in sets: the paper's worked example, its corners, and that no node is lost. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/random.h"
#include "impls/framing/frame_sets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 601 };

/* buschjaeger2018, Fig. 1: 0 -> 1, 2; 1 -> 3, 4; 2 -> 5, 6. Documents go to 2, to 6 and to 3. */
static uint32_t left_1[] = {1, 3, 5, FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE};
static uint32_t right_1[] = {2, 4, 6, FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE};
static double weight_1[] = {100, 30, 70, 20, 10, 25, 45};
static const struct frame_tree figure_1 = {7, left_1, right_1, weight_1, NULL};

/* Writes an order as text: "0 2 6|1 3 5|4". */
static void write_sets(const struct frame_order *order, char text[static 64]) {
    size_t set = 0, used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < order->n_nodes; i++) {
        used += (size_t)sprintf(text + used, "%s%u", i == 0 || text[used - 1] == '|' ? "" : " ",
                                order->node[i]);
        if (i + 1 == order->end[set] && ++set < order->n_sets)
            used += (size_t)sprintf(text + used, "|");
    }
    assert_int_equal(set, order->n_sets);
}

static void check_sets(const struct frame_tree *tree, bool leaves, size_t tau, bool fill,
                       const char *expected) {
    struct frame_order order;
    struct memory_pool pool = {0};
    char text[64];
    frame_order_create(&order, tree->n_nodes, &pool);
    frame_order_by_sets(&order, tree, leaves, tau, fill);
    write_sets(&order, text);
    assert_string_equal(text, expected);
    memory_pool_free(&pool);
}

static void figure_1_has_the_papers_sets(void **state) {
    (void)state;
    check_sets(&figure_1, true, 3, true, "0 2 6|1 3 5|4");
}

static void figure_1_in_sets_of_any_size(void **state) {
    (void)state;
    check_sets(&figure_1, true, 1, true, "0|2|6|1|5|3|4");
    check_sets(&figure_1, true, 2, true, "0 2|6 1|5 3|4");
    check_sets(&figure_1, true, 4, true, "0 2 6 1|5 3 4");
    check_sets(&figure_1, true, SIZE_MAX, true, "0 2 6 1 3 5 4");
}

static void without_filling_a_set_is_one_path(void **state) {
    (void)state;
    check_sets(&figure_1, true, 3, false, "0 2 6|1 3|5|4");
    check_sets(&figure_1, true, 2, false, "0 2|6|1 3|5|4");
    check_sets(&figure_1, true, SIZE_MAX, false, "0 2 6|1 3|5|4");
}

static void leaves_never_enter_a_set_of_inner_nodes(void **state) {
    (void)state;
    check_sets(&figure_1, false, 3, true, "0 2 1");
    check_sets(&figure_1, false, 3, false, "0 2|1");
    check_sets(&figure_1, false, 1, true, "0|2|1");
}

static void equal_probabilities_take_the_left_child_and_the_smaller_number(void **state) {
    (void)state;
    double weight[] = {4, 2, 2, 1, 1, 1, 1};
    struct frame_tree tree = figure_1;
    tree.weight = weight;
    check_sets(&tree, true, 3, true, "0 1 3|2 5 4|6");
    memset(weight, 0, sizeof weight);
    check_sets(&tree, true, 1, true, "0|1|2|3|4|5|6");
}

static void a_single_leaf_has_a_place_or_no_node(void **state) {
    (void)state;
    const struct frame_tree leaf = {1, left_1 + 3, right_1 + 3, weight_1, NULL};
    check_sets(&leaf, true, 3, true, "0");
    check_sets(&leaf, false, 3, true, "");
}

/* --- random trees ----------------------------------------------------------------------------- */

struct random_tree {
    struct frame_tree tree;
    uint32_t left[MAX_NODES], right[MAX_NODES], number[MAX_NODES];
    double weight[MAX_NODES];
};

/* Splits the first leaf, in breadth-first order, or leaves it: at least one leaf stays to split.
 * `chain` makes the tree as deep as it can be. */
static void make_random_tree(struct random_tree *made, uint32_t n_inner, uint64_t seed,
                             bool chain) {
    struct random random;
    uint32_t count = 1, inner = 0;
    random_seed(&random, seed);
    made->tree =
        (struct frame_tree){2 * n_inner + 1, made->left, made->right, made->weight, made->number};
    made->weight[0] = 1000;
    for (uint32_t node = 0; node < 2 * n_inner + 1; node++) {
        bool is_last = node + 1 == count;
        bool splits = inner < n_inner && (is_last || (!chain && random_below(&random, 3) > 0));
        made->left[node] = made->right[node] = FRAME_NONE;
        if (!splits)
            continue;
        uint64_t share = random_below(&random, (uint64_t)made->weight[node] + 1);
        made->left[node] = count;
        made->right[node] = count + 1;
        made->weight[count] = (double)share;
        made->weight[count + 1] = made->weight[node] - (double)share;
        count += 2;
        inner++;
    }
    assert_int_equal(count, made->tree.n_nodes);
}

/* Every placed node is there once, and no set is larger than tau or empty. */
static void check_completeness(const struct frame_tree *tree, const struct frame_order *order,
                               bool leaves, size_t tau) {
    bool seen[MAX_NODES] = {false};
    size_t n_placed = 0, begin = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        n_placed += leaves || !frame_is_leaf(tree, node);
    assert_int_equal(order->n_nodes, n_placed);
    for (size_t i = 0; i < order->n_nodes; i++) {
        assert_true(leaves || !frame_is_leaf(tree, order->node[i]));
        assert_false(seen[order->node[i]]);
        seen[order->node[i]] = true;
    }
    for (size_t set = 0; set < order->n_sets; set++) {
        assert_in_range(order->end[set] - begin, 1, tau);
        begin = order->end[set];
    }
    assert_int_equal(begin, order->n_nodes);
}

/* With sets of one node, the order is that of the queue alone. */
static void check_probabilities(const struct frame_tree *tree) {
    struct frame_order order;
    struct memory_pool pool = {0};
    frame_order_create(&order, tree->n_nodes, &pool);
    frame_order_by_sets(&order, tree, true, 1, true);
    for (size_t i = 1; i < order.n_nodes; i++)
        assert_true(tree->weight[order.node[i - 1]] >= tree->weight[order.node[i]]);
    memory_pool_free(&pool);
}

static void check_every_tau(const struct frame_tree *tree, bool fill) {
    const bool leaves[] = {true, false};
    struct frame_order order;
    struct memory_pool pool = {0};
    frame_order_create(&order, tree->n_nodes, &pool);
    for (size_t p = 0; p < 2; p++)
        for (size_t tau = 1; tau <= tree->n_nodes + 1; tau++) {
            frame_order_by_sets(&order, tree, leaves[p], tau, fill);
            check_completeness(tree, &order, leaves[p], tau);
            /* Filled sets are full, except the last. */
            for (size_t set = 0; fill && set + 1 < order.n_sets; set++)
                assert_int_equal(order.end[set], (set + 1) * tau);
        }
    memory_pool_free(&pool);
}

static void no_node_is_lost(void **state) {
    (void)state;
    static struct random_tree made;
    for (uint32_t n_inner = 1; n_inner <= 40; n_inner++)
        for (int chain = 0; chain < 2; chain++) {
            make_random_tree(&made, n_inner, n_inner, chain);
            check_every_tau(&made.tree, false);
            check_every_tau(&made.tree, true);
            check_probabilities(&made.tree);
        }
    make_random_tree(&made, 300, 7, false);
    check_every_tau(&made.tree, true);
    check_probabilities(&made.tree);
}

/* --- lines ------------------------------------------------------------------------------------ */

static double lines_of(bool leaves, size_t tau, size_t node_bytes) {
    struct frame_order order;
    struct memory_pool pool = {0};
    double lines;
    frame_order_create(&order, figure_1.n_nodes, &pool);
    if (tau)
        frame_order_by_sets(&order, &figure_1, leaves, tau, true);
    else
        frame_order_by_level(&order, &figure_1, leaves);
    assert_int_equal(frame_lines_per_path(&figure_1, &order, node_bytes, 64, &lines, NULL), 0);
    memory_pool_free(&pool);
    return lines;
}

static void check_lines(double lines, double expected) {
    if (!(fabs(lines - expected) < 1e-12))
        fail_msg("%g lines instead of %g", lines, expected);
}

static void lines_of_a_path_are_counted_once(void **state) {
    (void)state;
    /* Lines: {0, 1} {2}; then {0, 2} {1}. */
    check_lines(lines_of(false, 0, 32), 0.3 * 1 + 0.7 * 2);
    check_lines(lines_of(false, 3, 32), 0.7 * 1 + 0.3 * 2);
    check_lines(lines_of(false, 0, 12), 1);
    check_lines(lines_of(true, 0, 64), 3);
}

static void a_node_may_lie_on_two_lines(void **state) {
    (void)state;
    check_lines(lines_of(false, 0, 40), 2);
    /* Node 3 is on lines 0 and 1, nodes 4 and 5 on line 1, node 6 on lines 1 and 2. */
    check_lines(lines_of(true, 0, 20), 0.55 * 2 + 0.45 * 3);
}

static void without_nodes_no_line_is_touched(void **state) {
    (void)state;
    const struct frame_tree leaf = {1, left_1 + 3, right_1 + 3, weight_1, NULL};
    struct frame_order order;
    struct memory_pool pool = {0};
    double lines;
    frame_order_create(&order, 1, &pool);
    frame_order_by_level(&order, &leaf, false);
    assert_int_equal(order.n_sets, 0);
    assert_int_equal(frame_lines_per_path(&leaf, &order, 12, 64, &lines, NULL), 0);
    assert_true(lines == 0);
    memory_pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_has_the_papers_sets),
        cmocka_unit_test(figure_1_in_sets_of_any_size),
        cmocka_unit_test(without_filling_a_set_is_one_path),
        cmocka_unit_test(leaves_never_enter_a_set_of_inner_nodes),
        cmocka_unit_test(equal_probabilities_take_the_left_child_and_the_smaller_number),
        cmocka_unit_test(a_single_leaf_has_a_place_or_no_node),
        cmocka_unit_test(no_node_is_lost),
        cmocka_unit_test(lines_of_a_path_are_counted_once),
        cmocka_unit_test(a_node_may_lie_on_two_lines),
        cmocka_unit_test(without_nodes_no_line_is_touched),
    };
    return cmocka_run_group_tests_name("frame_sets", tests, NULL, NULL);
}
