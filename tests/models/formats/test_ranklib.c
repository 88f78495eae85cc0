/* The reader of RankLib text. */
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

#define LEAF(pos, output) "<split pos=\"" pos "\">\n<output> " output " </output>\n</split>\n"
#define STUMP(feature, threshold, left, right)                                                     \
    "<split>\n<feature> " feature " </feature>\n<threshold> " threshold                            \
    " </threshold>\n" LEAF("left", left) LEAF("right", right) "</split>\n"
#define TREE(weight, split) "<tree id=\"1\" weight=\"" weight "\">\n" split "</tree>\n"
#define MART(trees) "## MART\n## No. of trees = 7\n\n<ensemble>\n" trees "</ensemble>\n"

/* x[2] <= 0.1, then x[0] <= -1.25 */
#define DEEP                                                                                       \
    TREE("0.5",                                                                                    \
         "<split>\n<feature> 3 </feature>\n<threshold> 0.1 </threshold>\n"                         \
         "<split pos=\"left\">\n<feature> 1 </feature>\n<threshold> -1.25 </threshold>\n" LEAF(    \
             "left", "1.5") LEAF("right", "2.5") "</split>\n" LEAF("right", "3.5") "</split>\n")
#define ONE_LEAF TREE("2", "<split><output>10</output></split>")
#define MODEL MART(DEEP ONE_LEAF)
#define FOREST                                                                                     \
    "## Random Forests\n## No. of bags = 2\n## Sub-sampling = 1.0\n\n<ensemble>\n" TREE(           \
        "0.5", STUMP("2", "1.0", "1", "2"))                                                        \
        TREE("0.25", STUMP("1", "0", "4", "8")) "</ensemble>\n\n<ensemble>\n" TREE(                \
            "1.0", STUMP("1", "-0.5", "16", "32")) "</ensemble>\n\n"

struct row {
    float x[3];
    double score;
};

static void assert_scores(const char *text, const struct row *rows, size_t count) {
    struct ensemble *e = read_good("ranklib", text);
    for (size_t i = 0; i < count; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    ensemble_free(e);
}

static void test_scores_by_hand(void **state) {
    (void)state;
    const float above = nextafterf(0.1F, 1); /* RankLib reads 0.1 as the float 0.1F */
    const struct row rows[] = {
        {{-1.25F, 0, 0.1F}, 20.75}, {{-1.2F, 0, 0.1F}, 21.25}, {{-1.25F, 0, above}, 21.75},
        {{NAN, 0, 0}, 21.25},       {{-2, 0, NAN}, 20.75},     {{-2, 0, -INFINITY}, 20.75},
    };
    assert_scores(MODEL, rows, sizeof rows / sizeof *rows);
    struct ensemble *e = read_good("ranklib", MODEL);
    assert_int_equal(e->n_features, 3);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->tree_depth[1], 0);
    ensemble_free(e);
}

/* The mean of the bags: (0.5 * {1, 2} + 0.25 * {4, 8} + {16, 32}) / 2. */
static void test_forest_is_a_mean(void **state) {
    (void)state;
    const struct row rows[] = {
        {{-1, 1, 0}, 8.75}, {{-1, 2, 0}, 9},        {{0, 1, 0}, 16.75},
        {{1, 1, 0}, 17.25}, {{NAN, NAN, 0}, 16.75}, /* like zeros */
    };
    assert_scores(FOREST, rows, sizeof rows / sizeof *rows);
}

/* Outputs and weights are float32 in RankLib: 0.1F * 0.1F, not 0.1 * 0.1. */
static void test_numbers_are_float32(void **state) {
    (void)state;
    struct ensemble *e =
        read_good("ranklib", MART(TREE("0.1", "<split><output>0.1</output></split>")));
    assert_true(e->value[0] == (double)0.1F * (double)0.1F);
    ensemble_free(e);
    e = read_good("ranklib", MART(TREE("1", STUMP("1", "3.4028235E38", "-1E-3", "1.7e1"))));
    assert_true(e->threshold[0] == 3.4028234663852886e38F);
    assert_true(e->value[1] == 17);
    ensemble_free(e);
}

#define IN_TREE(inner) "## MART\n<ensemble>\n" TREE("1", inner) "</ensemble>"
#define IN_ROOT(inner) IN_TREE("<split>\n" inner "</split>\n")

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: expected '## LambdaMART', '## MART' or '## Random Forests'"},
        {"## Made Up\n<ensemble/>",
         "name:1: expected '## LambdaMART', '## MART' or '## Random Forests'"},
        {"## Coordinate Ascent\n1:0.5",
         "name:1: a model by Coordinate Ascent is not an ensemble of trees"},
        {"## Random Forests\n<ensemble></ensemble>", "name:1: Random Forests: '## No"},
        {"## Random Forests\n## No. of bags = -2\n<ensemble></ensemble>",
         "name:1: Random Forests: '## No"},
        {"## Random Forests\n## No. of bags = 3\n<ensemble>" TREE(
             "1", STUMP("1", "1", "1", "1")) "</ensemble>",
         "name:1: the number of <ensemble> elements is 1, expected 3 for Random Forests"},
        {MODEL "<ensemble></ensemble>",
         "name:1: the number of <ensemble> elements is 2, expected 1 for MART"},
        {"## MART\n", "name:1: the number of <ensemble> elements is 0, expected 1 for"},
        {"## MART\n<ensemble></ensemble>", "name: the model has no trees"},
        {"## MART\n\n<ensemble>\n<tree id=\"1\" weight=\"1\">\n",
         "name:5: the file ends inside an element"},
        {"## MART\n<ensemble>\n<tr", "name:3: the file ends inside an element"},
        {"## MART\n</roots>", "name:2: the file ends inside an element"},
        {"## MART\n</roots><roots>", "name:2: the text is not valid XML"},
        {"## MART\n<?xml version=\"1.0\"?><ensemble/>", "name:2: the text is not valid XML"},
        {"## MART\n<!DOCTYPE a []>", "name:2: the text is not valid XML"},
        {"## MART\n<Ensemble/>", "name:2: found <Ensemble>, expected <ensemble>"},
        {"## MART\n<ensemble a=\"b\"/>", "name:2: found <ensemble a=\"b\">, expected <ensemble>"},
        {"## MART\n<ensemble>\nhello</ensemble>", "name:3: unexpected text between elements"},
        {"## MART\n<ensemble><split/></ensemble>", "name:2: found <split>, expected <tree>"},
        {"## MART\n<ensemble><tree id=\"1\"/></ensemble>", "name:2: <tree> has no weight"},
        {"## MART\n<ensemble><tree weight=\"1e39\"/></ensemble>",
         "name:2: found <tree weight=\"1e39\">"},
        {"## MART\n<ensemble><tree hue=\"1\"/></ensemble>", "name:2: found <tree hue=\"1\">"},
        {IN_TREE(""), "name:4: <tree> contains no <split>"},
        {IN_TREE("<output>1</output>"), "name:4: found <output>, expected <split>"},
        {IN_TREE("<split pos=\"left\"/>"), "name:4: found <split pos=\"left\">, expected <split>"},
        {IN_TREE("<split><output>1</output></split>\n<split/>"),
         "name:5: found <split>, expected </tree>: a tree has only one root"},
        {IN_ROOT(""), "name:5: incomplete <split>: expected an <output>, or a <feature>, a "
                      "<threshold> and two <split>s"},
        {IN_ROOT("<threshold>1</threshold>"),
         "name:5: found <threshold>, expected <feature> or <output>"},
        {IN_ROOT("<feature>1</feature><feature/>"),
         "name:5: found <feature>, expected <threshold>"},
        {IN_ROOT("<feature a=\"b\">1</feature>"), "name:5: found <feature a=\"b\">"},
        {IN_ROOT("<feature>0</feature>"),
         "name:5: <feature>0</feature>: expected an integer, at least 1"},
        {IN_ROOT("<feature>-1</feature>"),
         "name:5: <feature>-1</feature>: expected an integer, at least 1"},
        {IN_ROOT("<feature>1.5</feature>"),
         "name:5: <feature>1.5</feature>: expected an integer, at least 1"},
        {IN_ROOT("<feature></feature>"),
         "name:5: <feature></feature>: expected an integer, at least 1"},
        {IN_ROOT("<feature><b/></feature>"),
         "name:5: unexpected <b> in <feature>, which holds text only"},
        {IN_ROOT("<output>1 2</output>"),
         "name:5: <output>1 2</output>: expected a number in the range of float32"},
        {IN_ROOT("<output>1</output><output>1</output>"),
         "name:5: found <output>, expected </split>"},
        {IN_ROOT("<output>1e39</output>"),
         "name:5: <output>1e39</output>: expected a number in the range of float32"},
        {IN_ROOT("<output>nan</output>"), "name: tree 0, node 0: the value"},
        {IN_ROOT("<feature>1</feature><threshold>x</threshold>"), "name:5: <threshold>x</thresho"},
        {IN_ROOT("<feature>1</feature><threshold>1</threshold>"),
         "name:5: incomplete <split>: expected an <output>, or a <feature>, a <threshold> and two "
         "<split>s"},
        {IN_ROOT("<feature>1</feature>\n<threshold>1</threshold>\n<split/>"),
         "name:7: found <split>, expected <split pos=\"left\">"},
        {IN_ROOT("<feature>1</feature>\n<threshold>1</threshold>\n" LEAF("right", "1")),
         "name:7: found <split pos=\"right\">, expected <split pos=\"left\">"},
        {IN_ROOT("<feature>1</feature>\n<threshold>1</threshold>\n" LEAF("left", "1")
                     LEAF("left", "1")),
         "name:10: found <split pos=\"left\">, expected <split pos=\"right\">"},
        {IN_ROOT("<feature>1</feature>\n<threshold>1</threshold>\n" LEAF("left", "1")),
         "name:10: incomplete <split>: expected an <output>, or a <feature>, a <threshold> and two "
         "<split>s"},
        {IN_TREE(STUMP("1", "nan", "1", "1")), "name: tree 0, node 0: the threshold"},
        {IN_TREE(STUMP("4000000000", "1", "1", "1")), "name: the model has 4000000000 features"},
    };
    assert_refused("ranklib", bad, sizeof bad / sizeof *bad);
}

/* Far deeper than any stack allows: rejected by the depth limit. */
static void test_deep_tree(void **state) {
    (void)state;
    enum { DEPTH = 100 * 1000 };
    static const char open[] = "<feature>1</feature><threshold>1</threshold><split pos=\"left\">";
    static const char close[] = "</split><split pos=\"right\"><output>1</output></split>";
    size_t size = 1000 + DEPTH * (sizeof open + sizeof close), used;
    char *text = malloc(size);
    assert_non_null(text);
    used = (size_t)snprintf(text, size, "## MART\n<ensemble><tree weight=\"1\"><split>");
    for (int i = 0; i < DEPTH; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", open);
    used += (size_t)snprintf(text + used, size - used, "<output>1</output>");
    for (int i = 0; i < DEPTH; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", close);
    snprintf(text + used, size - used, "</split></tree></ensemble>");
    const struct bad_text bad = {text, "name: tree 0"};
    assert_refused("ranklib", &bad, 1);
    free(text);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("ranklib", MODEL);
    assert_cut_anywhere("ranklib", FOREST);
}

static void test_real_models(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t trees, features;
    } models[] = {
        {"mslr10k.lambdamart988.ranklib.txt.gz", 988, 136},
        {"mslr10k.mart1000.ranklib.txt.gz", 1000, 136},
        {"mq2008.fold4.lambdamart.ranklib.txt.gz", 138, 46},
        {"o19s.lambdaMART.ranklib.txt.gz", 1000, 2},
        {"o19s.mart.ranklib.txt.gz", 1000, 2},
        {"o19s.randomForest.ranklib.txt.gz", 300, 2},
    };
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real models\n");
        skip();
        return;
    }
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/models/%s", folder, models[i].file);
        struct ensemble *e = NULL;
        struct error error;
        if (model_read(path, &e, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(e->n_trees, models[i].trees);
        assert_int_equal(e->n_features, models[i].features);
        for (uint32_t t = 0; t < e->n_trees; t++)
            assert_in_range(ensemble_tree_leaves(e, t), 1, 10);
        ensemble_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),      cmocka_unit_test(test_forest_is_a_mean),
        cmocka_unit_test(test_numbers_are_float32), cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_deep_tree),           cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_real_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
