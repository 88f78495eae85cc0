/* The reader of OptTrees' text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/models/reading.h"
#include "tests/models/same.h"

/* The tree of XML_TWIN as the authors' converter writes it: node 1 is at index < 2^2 - 1 and a
 * leaf, written as a node with the leaf's value in place of the threshold. */
#define TEXT                                                                                       \
    "2\n"                                                                                          \
    "2\n"                                                                                          \
    "root 0 4 0.1\n"                                                                               \
    "node 1 0 4 1 1.5\n"                                                                           \
    "node 2 0 0 0 -1.25\n"                                                                         \
    "leaf 3 2 1 2.5\n"                                                                             \
    "leaf 4 2 0 3.5\n"                                                                             \
    "end\n"                                                                                        \
    "1\n"                                                                                          \
    "root 0 1 -0.0\n"                                                                              \
    "leaf 1 0 0 1E-3\n"                                                                            \
    "leaf 2 0 1 2\n"                                                                               \
    "end\n"

#define XML_TWIN                                                                                   \
    "<Ensemble><Tree leaves=\"3\" weight=\"1.0\"><SplitFeatures>4 0</SplitFeatures>"               \
    "<LeftChildren>-1 -2</LeftChildren><RightChildren>1 -3</RightChildren>"                        \
    "<Thresholds>9 9</Thresholds><OriginalThresholds>0.1 -1.25</OriginalThresholds>"               \
    "<LeafOutputs>1.5 2.5 3.5</LeafOutputs></Tree>"                                                \
    "<Tree leaves=\"2\" weight=\"1.0\"><SplitFeatures>1</SplitFeatures>"                           \
    "<LeftChildren>-1</LeftChildren><RightChildren>-2</RightChildren>"                             \
    "<Thresholds>9</Thresholds><OriginalThresholds>-0.0</OriginalThresholds>"                      \
    "<LeafOutputs>2 0.001</LeafOutputs></Tree></Ensemble>"

static void test_is_the_jforests_twin(void **state) {
    (void)state;
    struct ensemble *e = read_good("opttrees", TEXT), *twin = read_good("jforests", XML_TWIN);
    assert_true(same_ensemble(e, twin));
    ensemble_free(e);
    ensemble_free(twin);
}

static void test_spaces_and_line_ends(void **state) {
    (void)state;
    struct ensemble *e = read_good("opttrees", TEXT);
    struct ensemble *other =
        read_good("opttrees", "2\r\n\r\n 2\nroot  0 4\t0.1\r\nnode 1 0 4 1 1.5 \nnode 2 0 0 0 "
                              "-1.25\nleaf 3 2 1 2.5\nleaf 4 2 0 3.5\nend\n1\nroot 0 1 -0.0\n"
                              "leaf 1 0 0 1E-3\nleaf 2 0 1 2\nend\n\n");
    assert_true(same_ensemble(e, other));
    ensemble_free(e);
    ensemble_free(other);
}

static void test_single_leaf(void **state) {
    (void)state;
    struct ensemble *e = read_good("opttrees", "1\n0\nroot 0 0 2.5\nend");
    assert_int_equal(e->n_nodes, 0);
    assert_true(e->value[0] == 2.5);
    ensemble_free(e);
}

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:0: the file ends before the number of trees"},
        {"x\n", "name:1: expected the number of trees"},
        {"1 1\n", "name:1: expected the number of trees"},
        {"-1\n", "name:1: expected the number of trees"},
        {"0\n", "name: the model has no trees"},
        {"1\n", "name:1: the file ends before the depth of a tree"},
        {"1\n1\n", "name:2: expected 'root"},
        {"1\n1\nroot 0 1\n", "name:3: expected 'root"},
        {"1\n1\nroot 0 1 1 1\n", "name:3: expected 'root"},
        {"1\n1\nroot 0 1 1x\n", "name:3: expected 'root"},
        {"1\n1\nroot 1 1 1\n",
         "name:3: node 1 found, 0 expected: nodes must be numbered in file order"},
        {"1\n1\nroot 0 -1 1\n", "name:3: expected 'root"},
        {"1\n1\nroot 0 1 1\nroot 1 1 1\n", "name:4: expected 'node"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 2 1\n", "name:4: expected 'leaf"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 1\n", "name:4: expected 'leaf"},
        {"1\n1\nroot 0 1 1\nleaf 2 0 1 1\n",
         "name:4: node 2 found, 1 expected: nodes must be numbered in file order"},
        {"1\n1\nroot 0 1 1\nleaf 1 1 1 1\n",
         "name:4: parent 1 is not an earlier node of this tree"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 1 1\nleaf 2 1 1 1\n", "name:5: parent 1 is a leaf"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 1 1\nleaf 2 0 1 1\n", "name:5: second left child of node 0"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 0 1\nnode 2 0 1 0 1\n",
         "name:5: second right child of node 0"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 0 1\nend\n", "name:3: node 0 has only a right child"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 0 1\nleaf 2 0 1 1\n",
         "name:5: the file ends before the tree's 'end'"},
        {"1\n1\nroot 0 1 1\nleaf 1 0 0 1\nleaf 2 0 1 1\nend x",
         "name:6: expected 'end' alone on the line"},
        {"1\n2\nroot 0 1 1\nleaf 1 0 0 1\nleaf 2 0 1 1\nend",
         "name:2: depth is 2, but the tree's depth is 1"},
        {"1\n0\nroot 0 1 1\nend\n\nroot",
         "name:6: unexpected text after the last tree (number of trees: 1)"},
        {"2\n0\nroot 0 1 1\nend\n", "name:4: the file ends before the depth of a tree"},
        {"1\n0\nroot 0 1 inf\nend\n", "name: tree 0, node 0: the value of a leaf"},
        {"1\n1\nroot 0 1 nan\nleaf 1 0 0 1\nleaf 2 0 1 1\nend",
         "name: tree 0, node 0: the threshold"},
    };
    assert_refused("opttrees", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("opttrees", TEXT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_the_jforests_twin), cmocka_unit_test(test_spaces_and_line_ends),
        cmocka_unit_test(test_single_leaf),          cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
