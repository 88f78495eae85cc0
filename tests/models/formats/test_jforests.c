/* The reader of jforests XML. */
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
#include "tests/models/real.h"

#define TREE                                                                                       \
    "<Tree leaves=\"3\" weight=\"0.5\">\n"                                                         \
    "<SplitFeatures>4 0</SplitFeatures>\n"                                                         \
    "<LeftChildren>1 -1</LeftChildren>\n"                                                          \
    "<RightChildren>-3 -2</RightChildren>\n"                                                       \
    "<Thresholds>17 3</Thresholds>\n"                                                              \
    "<OriginalThresholds>0.1 -1.25</OriginalThresholds>\n"                                         \
    "<LeafOutputs>1.5 2.5 3.5</LeafOutputs>\n"                                                     \
    "</Tree>\n"
#define ONE_LEAF                                                                                   \
    "<Tree leaves=\"1\" weight=\"2\"><SplitFeatures></SplitFeatures><LeftChildren/>"               \
    "<RightChildren/><Thresholds/><OriginalThresholds/><LeafOutputs>10</LeafOutputs></Tree>\n"
#define MODEL "<?xml version=\"1.0\"?>\n<Ensemble>\n" TREE ONE_LEAF "</Ensemble>\n"

static void test_scores_by_hand(void **state) {
    (void)state;
    struct ensemble *e = read_good("jforests", MODEL);
    const float left = 0.09999999F, right = 0.1F; /* 0.1F is above the double 0.1 */
    const struct {
        float x[5];
        double score;
    } rows[] = {
        {{-1.25F, 0, 0, 0, left}, 20.75},  {{-1.2F, 0, 0, 0, left}, 21.25},
        {{-1.25F, 0, 0, 0, right}, 21.75}, {{NAN, 0, 0, 0, left}, 21.25},
        {{-2, 0, 0, 0, NAN}, 21.75},       {{-2, 0, 0, 0, -INFINITY}, 20.75},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    assert_int_equal(e->n_features, 5);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->tree_depth[1], 0);
    ensemble_free(e);
}

#define IN_TREE(lists) "<Ensemble>\n<Tree leaves=\"3\" weight=\"1\">\n" lists "</Tree></Ensemble>"
#define LISTS(features, left, right, thresholds, outputs)                                          \
    IN_TREE("<SplitFeatures>" features "</SplitFeatures>\n<LeftChildren>" left                     \
            "</LeftChildren>\n<RightChildren>" right "</RightChildren>\n<Thresholds>1 2"           \
            "</Thresholds>\n<OriginalThresholds>" thresholds                                       \
            "</OriginalThresholds>\n<LeafOutputs>" outputs "</LeafOutputs>")

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: the text is not valid XML: the file ends too early"},
        {"<Ensemble>\n<Tree leav", "name:2: the text is not valid XML: the file ends too early"},
        {"<Ensemble>\n", "name:2: the text is not valid XML: the file ends too early"},
        {"<Ensemble></Ensemble>", "name: the model has no trees"},
        {"<ensemble></ensemble>", "name:1: found <ensemble>, expected <Ensemble>"},
        {"<Ensemble>\n<Tee/></Ensemble>", "name:2: found <Tee>, expected <Tree>"},
        {"<Ensemble a=\"1\"/>", "name:1: found <Ensemble a=\"1\">"},
        {"<Ensemble>\n<Tree weight=\"1\"></Tree></Ensemble>", "name:2: <Tree> lacks leaves"},
        {"<Ensemble>\n<Tree leaves=\"1\"></Tree></Ensemble>", "name:2: <Tree> lacks weight"},
        {"<Ensemble><Tree leaves=\"0\" weight=\"1\"/></Ensemble>",
         "name:1: found <Tree leaves=\"0\">"},
        {"<Ensemble><Tree leaves=\"2x\" weight=\"1\"/></Ensemble>",
         "name:1: found <Tree leaves=\"2x\">"},
        {"<Ensemble><Tree leaves=\"2\" weight=\"\"/></Ensemble>",
         "name:1: found <Tree weight=\"\">"},
        {"<Ensemble><Tree leaves=\"2\" hue=\"1\"/></Ensemble>", "name:1: found <Tree hue=\"1\">"},
        {"<Ensemble>\n<Tree leaves=\"4000000000\" weight=\"1\"/></Ensemble>",
         "name:2: found <Tree leaves=\"4000000000\">, expected <Ensemble> or <Tree "
         "leaves=\"INTEGER\" weight=\"NUMBER\">"},
        {"<Ensemble>\n<Tree leaves=\"9\" weight=\"1\"/></Ensemble>",
         "name:2: the length of <SplitFeatures> is 0, expected 8 for leaves=\"9\""},
        {"<Ensemble>\ntext</Ensemble>", "name:2: unexpected text between elements"},
        {"<!DOCTYPE a [<!ENTITY b \"c\">]>\n<Ensemble/>",
         "name:1: DOCTYPE declarations are not supported"},
        {"<Ensemble>\n&b;</Ensemble>", "name:2: the text is not valid XML"},
        {IN_TREE("<Hue>1</Hue>"), "name:3: found <Hue> in a <Tree>"},
        {IN_TREE("<Thresholds/>\n<Thresholds/>"), "name:4: duplicate <Thresholds> in a <Tree>"},
        {IN_TREE("<Thresholds a=\"1\"/>"), "name:3: found <Thresholds a=\"1\">"},
        {IN_TREE("<Thresholds>\n<Tree/></Thresholds>"),
         "name:4: unexpected <Tree> in <Thresholds>, which holds text only"},
        {IN_TREE("<Thresholds>1 2,3</Thresholds>"),
         "name:3: entry 2 of <Thresholds> is not a number: '2,3'"},
        {IN_TREE("<Thresholds>9x8123456789012345678901234567890123456789012</Thresholds>"),
         "name:3: entry 1 of <Thresholds> is not a number: "
         "'9x81234567890123456789012345678901234567'"},
        {LISTS("1", "1 -1", "-3 -2", "1 1", "1 2 3"),
         "name:3: the length of <SplitFeatures> is 1, expected"},
        {LISTS("1 2", "1 -1", "-3 -2", "1 1", "1 2"),
         "name:8: the length of <LeafOutputs> is 2, expected"},
        {LISTS("1 -2", "1 -1", "-3 -2", "1 1", "1 2 3"),
         "name:3: number 2 of <SplitFeatures> is -2"},
        {LISTS("1 0.5", "1 -1", "-3 -2", "1 1", "1 2 3"),
         "name:3: number 2 of <SplitFeatures> is 0.5"},
        {LISTS("1 nan", "1 -1", "-3 -2", "1 1", "1 2 3"),
         "name:3: number 2 of <SplitFeatures> is nan"},
        {LISTS("1 2", "2 -1", "-3 -2", "1 1", "1 2 3"), "name:4: number 1 of <LeftChildren> is 2"},
        {LISTS("1 2", "1 -1", "-3 -4", "1 1", "1 2 3"),
         "name:5: number 2 of <RightChildren> is -4"},
        {LISTS("1 2", "1 -1", "-3 -3", "1 1", "1 2 3"), "name: tree 0, node 1: its child 4"},
        {LISTS("1 2", "0 -1", "-3 -2", "1 1", "1 2 3"),
         "name: tree 0, node 0: the node is its own child"},
        {LISTS("1 2", "1 -1", "-3 -2", "1 nan", "1 2 3"), "name: tree 0, node 1: the threshold"},
        {LISTS("1 2", "1 -1", "-3 -2", "1 1", "1 2 inf"), "name: tree 0, node 4: the value"},
    };
    assert_refused("jforests", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("jforests", MODEL);
}

static void test_real_model(void **state) {
    (void)state;
    struct ensemble *e = real_model("models/opttrees.jforests.ensemble.xml");
    assert_int_equal(e->n_trees, 100);
    assert_int_equal(e->n_features, 136);
    assert_int_equal(e->n_leaves, 800);
    for (uint32_t t = 0; t < e->n_trees; t++)
        assert_int_equal(ensemble_tree_leaves(e, t), 8);
    assert_int_equal(e->feature[0], 107);
    assert_true(e->threshold[0] <= 8.667834589086247 &&
                nextafterf(e->threshold[0], INFINITY) > 8.667834589086247);
    assert_true(e->value[0] == -1.2362906645269616);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_real_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
