/* The reader and the writer of LightGBM's text models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/categories.h"
#include "models/rewrite.h"
#include "tests/models/lightgbm/lightgbm_text.h"
#include "tests/models/same.h"

#define HEADER_OF(outputs, last_feature, more)                                                     \
    "tree\nversion=v4\nnum_class=" outputs "\nnum_tree_per_iteration=" outputs                     \
    "\nlabel_index=0\nmax_feature_idx=" last_feature "\nobjective=regression\n" more               \
    "feature_names=a b c\nfeature_infos=[0:1] none 0:1:2\ntree_sizes=1 1\n\n"
#define HEADER HEADER_OF("1", "2", "")
#define TREE                                                                                       \
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=2 0\nsplit_gain=9 8\nthreshold=0.1 -1.25\n"    \
    "decision_type=10 8\nleft_child=1 -1\nright_child=-3 -2\nleaf_value=0.75 1.25 1.75\n"          \
    "leaf_weight=1 1 1\nleaf_count=20 30 50\ninternal_value=0 0\ninternal_weight=1 1\n"            \
    "internal_count=100 50\nis_linear=0\nshrinkage=0.1\n\n\n"
#define ONE_LEAF(number, value)                                                                    \
    "Tree=" number "\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nsplit_gain=\nthreshold=\n"          \
    "decision_type=\nleft_child=\nright_child=\nleaf_value=" value "\nleaf_weight=\nleaf_count=7"  \
    "\ninternal_value=\ninternal_weight=\ninternal_count=\nis_linear=0\nshrinkage=1\n\n\n"
#define TAIL "end of trees\n\nfeature_importances:\nc=1\na=1\n\npandas_categorical:null\n"
#define MODEL HEADER TREE ONE_LEAF("1", "20") TAIL

static void test_scores_by_hand(void **state) {
    (void)state;
    struct ensemble *e = read_good("lightgbm", MODEL);
    const float left = 0.09999999F, right = 0.1F; /* 0.1F is above the double 0.1 */
    const struct {
        float x[3];
        double score;
    } rows[] = {
        {{-1.25F, 0, left}, 20.75}, {{-1.2F, 0, left}, 21.25}, {{-1.25F, 0, right}, 21.75},
        {{NAN, 0, left}, 21.25},    {{-2, 0, NAN}, 20.75},     {{-2, 0, -INFINITY}, 20.75},
        {{-2, 0, INFINITY}, 21.75},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    assert_int_equal(e->n_features, 3);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->tree_depth[1], 0);
    assert_int_equal(e->node_count[0], 100);
    assert_int_equal(e->leaf_count[2], 50);
    ensemble_free(e);
}

static void test_outputs_take_turns(void **state) {
    (void)state;
    struct ensemble *e =
        read_good("lightgbm", HEADER_OF("2", "2", "") ONE_LEAF("0", "1") ONE_LEAF("1", "2")
                                  ONE_LEAF("2", "4") ONE_LEAF("3", "8") "end of trees\n");
    const float x[3] = {0};
    assert_int_equal(e->n_outputs, 2);
    assert_true(score_by_walking(e, x, 0) == 5);
    assert_true(score_by_walking(e, x, 1) == 10);
    ensemble_free(e);
}

/* Two iterations of two outputs: everything is halved. */
static void test_average_output(void **state) {
    (void)state;
    struct ensemble *e =
        read_good("lightgbm", HEADER_OF("2", "2", "average_output\n") ONE_LEAF("0", "1")
                                  ONE_LEAF("1", "2") ONE_LEAF("2", "4") ONE_LEAF("3", "8") TAIL);
    const float x[3] = {0};
    assert_true(score_by_walking(e, x, 0) == 2.5);
    assert_true(score_by_walking(e, x, 1) == 5);
    ensemble_free(e);
}

/* Both formats with names keep them in the same form: LightGBM replaces a space by an
 * underscore. */
static void test_feature_names(void **state) {
    (void)state;
    static const char *const formats[] = {"treebench", "xgboost", "lightgbm"};
    struct ensemble *e = read_good("lightgbm", MODEL);
    assert_memory_equal(e->feature_names, "a\0b\0c", 6);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        memcpy(e->feature_names, i < 2 ? "\"\0\\\0 " : "\"\0\\\0_", 6);
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_int_equal(format_named(formats[i])->write(e, stream, NULL), STATUS_OK);
        fclose(stream);
        struct ensemble *same = read_good(formats[i], text);
        assert_memory_equal(same->feature_names, e->feature_names, 6);
        ensemble_free(same);
        free(text);
    }
    ensemble_free(e);
}

/* v2 differs from v3 only in the version line. */
static void test_version_2(void **state) {
    (void)state;
    struct ensemble *e = read_good("lightgbm", "tree\nversion=v2\nnum_tree_per_iteration=1\n"
                                               "max_feature_idx=0\n\n"
                                               "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\n"
                                               "threshold=1\ndecision_type=2\nleft_child=-1\n"
                                               "right_child=-2\nleaf_value=3 4\nend of trees\n");
    assert_true(score_by_walking(e, (const float[]){1}, 0) == 3);
    assert_true(score_by_walking(e, (const float[]){2}, 0) == 4);
    ensemble_free(e);
}

/* LightGBM 2.0 and 2.1 write no line "end of trees". */
static void test_version_2_1(void **state) {
    (void)state;
    static const char text[] = HEADER TREE ONE_LEAF("1", "20") "\nfeature importances:\nc=1\n"
                                                               "pandas_categorical:[[\"x\"]]\n";
    struct ensemble *e = read_good("lightgbm", text), *same = read_good("lightgbm", MODEL);
    assert_int_equal(categories_count(e->categories, 2), 1);
    categories_free(e->categories);
    e->categories = NULL;
    assert_true(same_ensemble(e, same));
    ensemble_free(e);
    ensemble_free(same);
}

static void test_carriage_returns(void **state) {
    (void)state;
    struct ensemble *e = read_good("lightgbm", "tree\r\nversion=v3\r\nnum_tree_per_iteration=1\r\n"
                                               "max_feature_idx=0\r\n\r\n"
                                               "Tree=0\r\nnum_leaves=1\r\nnum_cat=0\r\n"
                                               "split_feature=\r\nthreshold=\r\ndecision_type=\r\n"
                                               "left_child=\r\nright_child=\r\nleaf_value=3\r\n"
                                               "end of trees\r\n");
    assert_true(e->value[0] == 3);
    assert_null(e->leaf_count);
    ensemble_free(e);
}

/* --- how splits decide ------------------------------------------------------------------------ */

#define SPLIT_OF(n_sets, threshold, decision, more)                                                \
    HEADER "Tree=0\nnum_leaves=2\nnum_cat=" n_sets "\nsplit_feature=0\nthreshold=" threshold       \
           "\ndecision_type=" decision "\nleft_child=-1\nright_child=-2\nleaf_value=1 2\n" more    \
           "end of trees\n"
#define NUMBERS(threshold, decision) SPLIT_OF("0", threshold, decision, "")
#define ONE_SPLIT(threshold, decision, more) SPLIT_OF("1", threshold, decision, more)
#define LEFT 1
#define RIGHT 2

struct side {
    float x;
    double score;
};

static void assert_sides(const char *text, const struct side *sides, size_t count) {
    struct ensemble *e = read_good("lightgbm", text);
    for (size_t i = 0; i < count; i++) {
        const float x[3] = {sides[i].x, 0, 0};
        if (score_by_walking(e, x, 0) != sides[i].score)
            fail_msg("%g goes to the wrong side in %s", (double)x[0], text);
    }
    ensemble_free(e);
}
#define ASSERT_SIDES(text, ...)                                                                    \
    assert_sides(text, (const struct side[]){__VA_ARGS__},                                         \
                 sizeof(const struct side[]){__VA_ARGS__} / sizeof(struct side))

static void test_nan(void **state) {
    (void)state;
    ASSERT_SIDES(NUMBERS("0.5", "0"), {NAN, LEFT}, {1, RIGHT}, {0.5F, LEFT});
    ASSERT_SIDES(NUMBERS("0", "0"), {NAN, LEFT}, {-0.0F, LEFT}, {1e-45F, LEFT}, {1e-35F, LEFT},
                 {1.1e-35F, RIGHT}, {-1e-35F, LEFT});
    ASSERT_SIDES(NUMBERS("-1e-300", "2"), {NAN, RIGHT}, {0, RIGHT}, {-1e-45F, RIGHT},
                 {-1e-35F, RIGHT}, {-1.1e-35F, LEFT});
    ASSERT_SIDES(NUMBERS("-1.0000000180025095e-35", "2"), {-1e-35F, RIGHT}, {-1.1e-35F, LEFT});
    ASSERT_SIDES(NUMBERS("-0.5", "2"), {NAN, RIGHT}, {0, RIGHT}, {-0.5F, LEFT});
    ASSERT_SIDES(NUMBERS("0.5", "8"), {NAN, RIGHT}, {0, LEFT});
    ASSERT_SIDES(NUMBERS("-0.5", "10"), {NAN, LEFT}, {0, RIGHT});
    ASSERT_SIDES(NUMBERS("1e300", "10"), {INFINITY, RIGHT}, {3.4e38F, LEFT});
}

static void test_zero_is_missing(void **state) {
    (void)state;
    const float zero = 1e-35F, over = nextafterf(zero, 1);
    ASSERT_SIDES(NUMBERS("0.5", "4"), {NAN, RIGHT}, {0, RIGHT}, {zero, RIGHT}, {-zero, RIGHT},
                 {over, LEFT}, {-over, LEFT}, {0.5F, LEFT}, {0.6F, RIGHT}, {-1, LEFT});
    ASSERT_SIDES(NUMBERS("0.5", "6"), {NAN, LEFT}, {0, LEFT}, {0.5F, LEFT}, {0.6F, RIGHT});
    ASSERT_SIDES(NUMBERS("-0.5", "6"), {NAN, LEFT}, {0, LEFT}, {zero, LEFT}, {-zero, LEFT},
                 {over, RIGHT}, {-over, RIGHT}, {-0.5F, LEFT}, {-0.4F, RIGHT}, {1, RIGHT});
    ASSERT_SIDES(NUMBERS("-0.5", "4"), {NAN, RIGHT}, {0, RIGHT}, {-0.5F, LEFT}, {1, RIGHT});
    ASSERT_SIDES(NUMBERS("0", "6"), {NAN, LEFT}, {0, LEFT}, {zero, LEFT}, {over, RIGHT},
                 {-1, LEFT});
    ASSERT_SIDES(NUMBERS("0", "4"), {NAN, RIGHT}, {0, RIGHT}, {-zero, RIGHT}, {-over, LEFT},
                 {1, RIGHT});
    ASSERT_SIDES(NUMBERS("1.0000000180025095e-35", "4"), {zero, RIGHT}, {-zero, RIGHT},
                 {over, RIGHT}, {-over, LEFT});
}

static void test_categories(void **state) {
    (void)state;
    /* 0, 3, 4 and 33 */
    ASSERT_SIDES(ONE_SPLIT("0", "1", "cat_boundaries=0 2\ncat_threshold=25 2\n"), {0, LEFT},
                 {0.99F, LEFT}, {-0.99F, LEFT}, {-1, RIGHT}, {-7, RIGHT}, {1, RIGHT}, {2.9F, RIGHT},
                 {3, LEFT}, {4.5F, LEFT}, {5, RIGHT}, {32, RIGHT}, {33, LEFT}, {33.9F, LEFT},
                 {34, RIGHT}, {100, RIGHT}, {NAN, RIGHT}, {INFINITY, RIGHT}, {-INFINITY, RIGHT});
    ASSERT_SIDES(ONE_SPLIT("0", "9", "cat_boundaries=0 1\ncat_threshold=2147483648\n"), {30, RIGHT},
                 {31, LEFT}, {31.5F, LEFT}, {32, RIGHT}, {NAN, RIGHT});
    ASSERT_SIDES(ONE_SPLIT("0", "9", "cat_boundaries=0 1\ncat_threshold=0\n"), {0, RIGHT},
                 {1, RIGHT}, {NAN, RIGHT});
    ASSERT_SIDES(ONE_SPLIT("0", "9", "cat_boundaries=0 0\ncat_threshold=\n"), {0, RIGHT},
                 {NAN, RIGHT});
}

/* Tree 0: the left side of {0, 2} is two pieces, so {0} needs no further test in them. Tree 1:
 * where NaN went right, x <= 1 decides everything after x <= 0.5. */
static void test_what_is_known_is_not_asked(void **state) {
    (void)state;
    struct ensemble *e =
        read_good("lightgbm", HEADER "Tree=0\nnum_leaves=3\nnum_cat=2\nsplit_feature=0 0\n"
                                     "threshold=0 1\ndecision_type=1 1\nleft_child=1 -1\n"
                                     "right_child=-2 -3\nleaf_value=1 2 3\ncat_boundaries=0 1 2\n"
                                     "cat_threshold=5 1\n\n"
                                     "Tree=1\nnum_leaves=4\nnum_cat=1\nsplit_feature=0 0 1\n"
                                     "threshold=0.5 1 0\ndecision_type=8 8 1\nleft_child=1 -1 -3\n"
                                     "right_child=2 -2 -4\nleaf_value=10 20 30 40\n"
                                     "cat_boundaries=0 1\ncat_threshold=1\nend of trees\n");
    static const struct side sides[] = {{-1, 12}, {0, 11},   {1, 32},        {2, 33},
                                        {3, 32},  {NAN, 32}, {INFINITY, 32}, {-INFINITY, 12}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        assert_true(score_by_walking(e, (const float[3]){sides[i].x}, 0) == sides[i].score);
    struct ensemble *plain;
    struct error error;
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_OK);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        assert_true(score_by_walking(plain, (const float[3]){sides[i].x}, 0) == sides[i].score);
    assert_int_equal(ensemble_tree_leaves(plain, 0), 5);
    assert_int_equal(ensemble_tree_leaves(plain, 1), 4);
    ensemble_free(plain);
    ensemble_free(e);
}

/* --- what is refused -------------------------------------------------------------------------- */

#define LISTS(leaves, feature, threshold, decision, left, right, value, more)                      \
    HEADER "Tree=0\nnum_leaves=" leaves "\nnum_cat=1\nsplit_feature=" feature                      \
           "\nthreshold=" threshold "\ndecision_type=" decision "\nleft_child=" left               \
           "\nright_child=" right "\nleaf_value=" value "\n" more "end of trees\n"

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: expected 'tree'"},
        {"trees\n", "name:1: expected 'tree'"},
        {"tree\n", "name:1: the header has no line 'num_tree_per_iteration='"},
        {"tree\nnum_tree_per_iteration=1\nmax_feature_idx=0\n",
         "name:1: the header has no line 'version=', so a very old LightGBM wrote it"},
        {"tree\nversion=v5\nnum_tree_per_iteration=1\nmax_feature_idx=0\n",
         "name:2: version 'v5' is not supported"},
        {"tree\nversion=v3\nmax_feature_idx=0\n", "name:1: the header has no line 'num_tree_per"},
        {"tree\nversion=v3\nhue=3\n", "name:3: unknown key 'hue' in the header"},
        {"tree\nversion=v3\nversion=v3\n", "name:3: duplicate key 'version' in the header"},
        {HEADER_OF("0", "2", "") TAIL,
         "name:4: num_tree_per_iteration is '0', expected an integer from"},
        {HEADER_OF("1", "-1", "") TAIL,
         "name:6: max_feature_idx is '-1', expected an integer from"},
        {HEADER_OF("1", "3", "") TREE ONE_LEAF("1", "20") TAIL,
         "name:8: feature_names: found 3, expected 4 (one per feature)"},
        {HEADER_OF("1", "99999999", "") TAIL, "name:6: max_feature_idx is '99999999'"},
        {HEADER, "name:11: the line 'end of trees' is missing"},
        {HEADER TAIL, "name: the model has no trees"},
        {HEADER TREE, "name:30: the line 'end of trees' is missing"},
        {HEADER TREE "hello", "name:31: unknown key 'hello' in tree 0"},
        {HEADER_OF("2", "2", "") TREE TAIL,
         "name: the number of trees, 1, is not a multiple of num_tree_per_iteration=2"},
        {HEADER ONE_LEAF("1", "1") TAIL, "name:12: Tree is '1', expected an integer from 0 to 0"},
        {HEADER "Tree=0\nend of trees\n", "name:12: tree 0 has no line 'split_feature='"},
        {HEADER "Tree=0\nnum_leaves=1\nnum_leaves=1\n",
         "name:14: duplicate key 'num_leaves' in tree 0"},
        {LISTS("0", "", "", "", "", "", "", ""), "name:13: num_leaves is '0'"},
        {LISTS("2x", "", "", "", "", "", "", ""), "name:13: num_leaves is '2x'"},
        {LISTS("1000000000", "0", "1", "0", "-1", "-2", "1 2", ""),
         "name:20: tree 0: length of leaf_value is 2, expected 1000000000"},
        {LISTS("4000000000", "0", "1", "0", "-1", "-2", "1 2", ""),
         "name:13: num_leaves is '4000000000'"},
        {LISTS("1", "", "", "", "", "", "1", ""),
         "name:14: num_cat is '1', expected an integer from"},
        {LISTS("2", "0 1", "1", "0", "-1", "-2", "1 2", ""),
         "name:15: tree 0: length of split_feature is 2, expected 1"},
        {LISTS("2", "0", "", "0", "-1", "-2", "1 2", ""),
         "name:16: tree 0: length of threshold is 0, expected"},
        {LISTS("2", "0", "1", "0", "-1", "-2", "1 2;", ""),
         "name:20: tree 0: entry 2 of leaf_value is not a number"},
        {LISTS("2", "3", "1", "0", "-1", "-2", "1 2", "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:15: tree 0, node 0: split_feature is 3"},
        {LISTS("2", "0.5", "1", "0", "-1", "-2", "1 2", "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:15: tree 0, node 0: split_feature is 0.5"},
        {ONE_SPLIT("1", "0", "leaf_count=1 -1\ncat_boundaries=0 1\ncat_threshold=1\n"),
         "name:21: tree 0, leaf 1: leaf_count is -1"},
        {ONE_SPLIT("nan", "0", "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:16: tree 0, node 0: the threshold is NaN"},
        {ONE_SPLIT("0.5", "12", "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:17: tree 0, node 0: decision_type is 12"},
        {ONE_SPLIT("1", "1", "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:16: tree 0, node 0: threshold is 1"},
        {ONE_SPLIT("0", "1", ""), "name:12: tree 0 has num_cat=1 but no line 'cat_boundaries='"},
        {ONE_SPLIT("0", "1", "cat_boundaries=0 1\n"),
         "name:12: tree 0 has num_cat=1 but no line 'cat_threshold='"},
        {ONE_SPLIT("0", "1", "cat_boundaries=0\ncat_threshold=1\n"),
         "name:21: tree 0: length of cat_boundaries is 1, expected 2"},
        {ONE_SPLIT("0", "1", "cat_boundaries=0 2\ncat_threshold=1\n"),
         "name:21: tree 0, node 1: cat_boundaries is 2"},
        {ONE_SPLIT("0", "1", "cat_boundaries=1 0\ncat_threshold=1\n"),
         "name:21: tree 0, node 1: cat_boundaries is 0"},
        {ONE_SPLIT("0", "1", "cat_boundaries=0 1\ncat_threshold=-1\n"),
         "name:22: tree 0, node 0: cat_threshold is -1"},
        {ONE_SPLIT("0", "0", "cat_boundaries=0 1\ncat_threshold=1\nis_linear=1\n"),
         "name:12: tree 0 is a linear tree, which is not supported"},
        {ONE_SPLIT("0", "0",
                   "cat_boundaries=0 1\ncat_threshold=1\nis_linear=1\nleaf_const=1 2\n"
                   "num_features=1 1\nleaf_features=0 0\nleaf_coeff=1 1\n"),
         "name:12: tree 0 is a linear tree, which is not supported"},
        {LISTS("3", "0 0", "0 1", "1 1", "-1 -2", "1 -3", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:17: tree 0, node 1: more categorical splits than num_cat=1"},
        {LISTS("3", "0 0", "0 1", "0 0", "-1 -2", "2 -3", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name:19: tree 0, node 0: right_child is 2"},
        {LISTS("3", "0 0", "0 1", "0 0", "-1 -2", "1 -2", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name: tree 0, node 1: its child 3"},
        {LISTS("3", "0 0", "0 1", "1 0", "-1 -2", "1 -2", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name: tree 0, node 1: its child 3 is already a child of node 1"},
        {LISTS("3", "0 0", "0 1", "1 0", "-1 -2", "-3 1", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name: tree 0, node 1: the node is its own child"},
        {LISTS("3", "0 0", "0 1", "1 0", "-1 -2", "1 0", "1 2 3",
               "cat_boundaries=0 1\ncat_threshold=1\n"),
         "name: tree 0, node 1: its child is the root, which makes a cycle"},
        {ONE_SPLIT("0", "1", "cat_boundaries=0 1\ncat_threshold=1\nleaf_value=inf 1\n"),
         "name:23: duplicate key 'leaf_value' in tree 0"},
        {HEADER ONE_LEAF("0", "inf") TAIL, "name: tree 0, node 0: the value of a leaf"},
    };
    assert_refused("lightgbm", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("lightgbm", MODEL);
    assert_cut_anywhere("lightgbm",
                        ONE_SPLIT("0", "1", "cat_boundaries=0 2\ncat_threshold=25 2\n"));
    /* A model without its trees is rejected. */
    const char *end = strstr(MODEL, "end of trees");
    struct error error;
    struct ensemble *e = NULL;
    assert_int_equal(read_copy("lightgbm", MODEL, (size_t)(end - MODEL), &e, &error), STATUS_INPUT);
}

/* One long path of categorical splits, each on its own feature or all on the same one. */
static void assert_chain_refused(int n_splits, bool same_feature, int categories,
                                 const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    fprintf(stream,
            "tree\nversion=v4\nnum_tree_per_iteration=1\nmax_feature_idx=%d\n\nTree=0\n"
            "num_leaves=%d\nnum_cat=%d\n",
            n_splits, n_splits + 1, n_splits);
    static const char *const keys[] = {"split_feature",  "threshold",    "decision_type",
                                       "left_child",     "right_child",  "leaf_value",
                                       "cat_boundaries", "cat_threshold"};
    for (int key = 0; key < 8; key++) {
        fprintf(stream, "%s=", keys[key]);
        for (int i = 0; i < n_splits + (key == 5 || key == 6); i++) {
            const int right = i + 1 < n_splits ? i + 1 : ~n_splits;
            const int values[] = {same_feature ? 0 : i, i, 1, ~i, right, i, i, categories};
            fprintf(stream, " %d", values[key]);
        }
        fputc('\n', stream);
    }
    fputs("end of trees\n", stream);
    fclose(stream);
    struct ensemble *e = NULL, *plain = NULL;
    struct error error;
    assert_int_equal(read_copy("lightgbm", text, size, &e, &error), STATUS_OK);
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_UNSUPPORTED);
    if (!strstr(error.text, "tree 0, node") || !strstr(error.text, expected))
        fail_msg("%s", error.text);
    ensemble_free(e);
    free(text);
}

static void test_growth_is_bounded(void **state) {
    (void)state;
    assert_chain_refused(40, false, 0x555,
                         "its test of 13 groups of categories by numeric tests takes more than "
                         "6208 nodes in the tree");
    assert_chain_refused(3000, true, 1, "deeper than 2048 tests");
}

/* --- writing ---------------------------------------------------------------------------------- */

static void test_written_is_read(void **state) {
    (void)state;
    struct ensemble *e = read_good("lightgbm", MODEL);
    struct ensemble *back = write_and_read(e);
    assert_true(same_ensemble(e, back));
    ensemble_free(e);
    ensemble_free(back);
}

/* LightGBM finds the trees by tree_sizes. */
static void test_tree_sizes(void **state) {
    (void)state;
    struct ensemble *e = read_good("lightgbm", MODEL);
    size_t size;
    char *text = write_text(e, &size);
    const char *at = strstr(text, "tree_sizes=") + strlen("tree_sizes=");
    const char *tree = strstr(text, "\n\n") + 2;
    for (int t = 0; t < 2; t++) {
        char *behind;
        assert_memory_equal(tree, "Tree=", 5);
        tree += strtol(at, &behind, 10);
        at = behind;
    }
    assert_int_equal(*at, '\n');
    assert_memory_equal(tree, "end of trees\n", strlen("end of trees\n"));
    free(text);
    ensemble_free(e);
}

#define JSON_TREE(output, value)                                                                   \
    "{\"output\":" output ",\"feature\":[],\"threshold\":[],\"left\":[],\"right\":[],"             \
    "\"value\":[" value "]}"

#define JSON_SPLIT(threshold)                                                                      \
    "{\"output\":0,\"feature\":[0],\"threshold\":[" threshold "],\"left\":[-1],\"right\":[-2],"    \
    "\"value\":[1,2]}"
#define JSON_MODEL(trees)                                                                          \
    "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[0],\"trees\":" \
    "[" trees "]}"

/* A threshold of infinity sends everything but NaN to the left. LightGBM writes "inf" too. */
static void test_infinite_thresholds_are_written(void **state) {
    (void)state;
    struct ensemble *e = read_good("treebench", JSON_MODEL(JSON_SPLIT("\"inf\"")));
    size_t size;
    char *text = write_text(e, &size);
    assert_non_null(strstr(text, "\nthreshold=inf\n"));
    assert_non_null(
        strstr(text, "\nfeature_infos=[3.4028234663852886e+38:3.4028234663852886e+38]\n"));
    free(text);
    struct ensemble *back = write_and_read(e);
    assert_true(score_by_walking(back, (const float[]){INFINITY}, 0) == 1);
    assert_true(score_by_walking(back, (const float[]){NAN}, 0) == 2);
    assert_true(back->threshold_double[0] == (double)INFINITY);
    ensemble_free(back);
    ensemble_free(e);
}

/* Thresholds next to the numbers that LightGBM reads as 0 keep every document's side. */
static void test_thresholds_around_zero_are_written(void **state) {
    (void)state;
    struct ensemble *models[] = {read_good("treebench", JSON_MODEL(JSON_SPLIT("1e-35"))),
                                 read_good("treebench", JSON_MODEL(JSON_SPLIT("-1.00000009e-35"))),
                                 read_good("lightgbm", NUMBERS("1.0000000180025095e-35", "2")),
                                 read_good("lightgbm", NUMBERS("-1.0000000180025095e-35", "2"))};
    const float zero = 1e-35F, over = nextafterf(zero, 1),
                numbers[] = {-over, -zero, 0, zero, over};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct ensemble *back = write_and_read(models[i]);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            const float x[3] = {numbers[n]};
            assert_true(score_by_walking(models[i], x, 0) == score_by_walking(back, x, 0));
        }
        ensemble_free(back);
        ensemble_free(models[i]);
    }
}

/* Outputs that do not alternate, base scores, a threshold of minus infinity. */
static void test_foreign_models_are_written(void **state) {
    (void)state;
    struct ensemble *e = read_good(
        "treebench", "{\"format\":\"treebench\",\"version\":1,\"features\":2,\"outputs\":3,"
                     "\"base\":[0.1,0.5,-4],\"trees\":["
                     "{\"output\":1,\"feature\":[1],\"threshold\":[\"-inf\"],\"left\":[-1],"
                     "\"right\":[-2],\"nan_left\":[1],\"value\":[1,2]}," JSON_TREE(
                         "0", "0.2") "," JSON_TREE("0", "0.7") "," JSON_TREE("0", "-0.9") "]}");
    struct ensemble *back = write_and_read(e);
    assert_int_equal(back->n_trees, 9);
    static const float rows[][2] = {{0, 0}, {0, NAN}, {0, -INFINITY}, {0, -3.4e38F}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t output = 0; output < 3; output++)
            assert_true(score_by_walking(e, rows[i], output) ==
                        score_by_walking(back, rows[i], output));
    }
    ensemble_free(e);
    ensemble_free(back);
}

static void test_what_cannot_be_written(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"[0],\"trees\":[" JSON_SPLIT("0") "]}",
         "tree 0, node 0: the threshold 0 separates numbers from -1e-35 to 1e-35, which LightGBM "
         "reads as 0. Use another format"},
        {"[0],\"trees\":[" JSON_TREE("0", "1") "," JSON_SPLIT("-1e-35") "]}",
         "tree 1, node 0: the threshold -1e-35 separates"},
        {"[1e308],\"trees\":[" JSON_TREE("0", "1e308") "]}",
         "tree 0, leaf 0: the value plus the base score is infinite"},
        {"[0],\"trees\":[{\"output\":0,\"feature\":[],\"threshold\":[],\"left\":[],\"right\":[],"
         "\"value\":[1],\"node_count\":[],\"leaf_count\":[2147483648]}]}",
         "tree 0: 2147483648 documents passed a node, but LightGBM supports at most 2^31 - 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":%s",
                 bad[i].text);
        struct ensemble *e = read_good("treebench", text);
        struct error error;
        FILE *stream = fopen("/dev/null", "w");
        assert_non_null(stream);
        assert_int_equal(format_named("lightgbm")->write(e, stream, &error), STATUS_UNSUPPORTED);
        assert_memory_equal(error.text, bad[i].expected, strlen(bad[i].expected));
        fclose(stream);
        ensemble_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_outputs_take_turns),
        cmocka_unit_test(test_average_output),
        cmocka_unit_test(test_feature_names),
        cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_version_2_1),
        cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_zero_is_missing),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_what_is_known_is_not_asked),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_growth_is_bounded),
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_tree_sizes),
        cmocka_unit_test(test_infinite_thresholds_are_written),
        cmocka_unit_test(test_thresholds_around_zero_are_written),
        cmocka_unit_test(test_foreign_models_are_written),
        cmocka_unit_test(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
