/* The reader of arch-forest's JSON: forests that vote. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/json_stream.h"
#include "base/number.h"
#include "datasets/format.h"
#include "tests/models/reading.h"
#include "tests/models/real.h"

#define LEAF(count, shares) "{\"numSamples\":" #count ",\"prediction\":[" shares "]}"
#define INNER(count, feature, split, left, right)                                                  \
    "{\"id\":7,\"numSamples\":" #count ",\"probLeft\":0.5,\"probRight\":0.5,"                      \
    "\"isCategorical\":\"False\",\"feature\":" #feature ",\"split\":" #split                       \
    ",\"leftChild\":" left ",\"rightChild\":" right "}"

/* Three classes. The second tree never votes for class 0, and its right half always votes for class
 * 2. */
#define THREE                                                                                      \
    "[" INNER(10, 0, 0.5, LEAF(4, "0.25,0.75,0"), LEAF(6, "0.5,0,0.5")) ",\n" INNER(               \
        9, 3, -1, LEAF(2, "0,1.0,0"),                                                              \
        INNER(7, 1, 2, LEAF(3, "0,0,1"), LEAF(4, "0.1,0.3,0.6"))) "]\n"
#define TWO "[" INNER(5, 0, 0.1, LEAF(2, "0.5,0.5"), LEAF(3, "0,1")) "," LEAF(5, "0.25,0.75") "]"

static void assert_votes(const struct ensemble *e, const float *x, double v0, double v1,
                         double v2) {
    assert_true(score_by_walking(e, x, 0) == v0);
    assert_true(score_by_walking(e, x, 1) == v1);
    assert_true(score_by_walking(e, x, 2) == v2);
}

static void test_votes_of_three_classes(void **state) {
    (void)state;
    struct ensemble *e = read_good("archforest", THREE);
    assert_int_equal(e->n_outputs, 3);
    assert_true(e->votes);
    assert_int_equal(e->n_features, 4);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->n_leaves, 5); /* leaves that vote alike are not merged */
    assert_votes(e, (float[]){0.5F, 9, 9, -1}, 0, 2, 0);
    assert_votes(e, (float[]){0.5F, 9, 9, 0}, 0, 1, 1);
    assert_votes(e, (float[]){1, 9, 9, 0}, 1, 0, 1); /* the first of equal shares wins */
    assert_votes(e, (float[]){1, 9, 9, NAN}, 1, 0, 1);
    assert_votes(e, (float[]){NAN, 9, 9, -2}, 1, 1, 0);
    ensemble_free(e);
}

static void test_two_classes_are_two_outputs(void **state) {
    (void)state;
    struct ensemble *e = read_good("archforest", TWO);
    assert_int_equal(e->n_outputs, 2);
    assert_int_equal(e->n_trees, 2);
    assert_true(score_by_walking(e, (float[]){0}, 0) == 1);
    assert_true(score_by_walking(e, (float[]){0}, 1) == 1);
    assert_true(score_by_walking(e, (float[]){1}, 0) == 0);
    assert_true(score_by_walking(e, (float[]){1}, 1) == 2);
    assert_int_equal(e->node_count[0], 5);
    assert_int_equal(e->leaf_count[0], 2);
    assert_int_equal(e->leaf_count[1], 3);
    assert_int_equal(e->leaf_count[2], 5);
    ensemble_free(e);
}

/* The float closest to 0.1 is above the double 0.1. */
static void test_thresholds_are_doubles(void **state) {
    (void)state;
    struct ensemble *e = read_good("archforest", TWO);
    assert_true(e->threshold[0] == nextafterf(0.1F, 0));
    ensemble_free(e);
}

static void test_counts(void **state) {
    (void)state;
    struct ensemble *e = read_good("archforest", THREE);
    assert_int_equal(e->node_count[0], 10);
    assert_int_equal(e->node_count[1], 9);
    assert_int_equal(e->node_count[2], 7);
    assert_int_equal(e->leaf_count[0], 4);
    assert_int_equal(e->leaf_count[4], 4);
    ensemble_free(e);
}

static void test_members_in_any_order(void **state) {
    (void)state;
    struct ensemble *e = read_good(
        "archforest", "[{\"rightChild\":" LEAF(3, "0,1") ",\"split\":1,\"leftChild\":" LEAF(
                          2, "1,0") ",\"isCategorical\":false,\"feature\":0,"
                                    "\"numSamples\":5}]");
    assert_true(score_by_walking(e, (float[]){1}, 0) == 1);
    assert_true(score_by_walking(e, (float[]){2}, 1) == 1);
    ensemble_free(e);
}

#define NODE(members) "[{\"numSamples\":1," members "}]"
#define AT "name:1: tree 0, node 0: "

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: not well-formed JSON: the file ends"},
        {"{}", "name:1: expected an array of trees"},
        {"[]", "name: the model has no trees"},
        {"[1]", "name:1: tree 0: expected an object (the root)"},
        {"[\n" LEAF(1, "1,0") ",\n[]]", "name:3: tree 1: expected an object (the root)"},
        {"[" LEAF(1, "1,0") "] 1",
         "name:1: not well-formed JSON: expected the end of the file, found '1'"},
        {"[{}]", AT "a node without prediction needs numSamples"},
        {"[{\"prediction\":[1,0]}]", AT "a leaf needs numSamples"},
        {NODE("\"feature\":1"), AT "a node without prediction needs isCategorical"},
        {NODE("\"prediction\":[1,0],\"feature\":1"), AT "a leaf must not have feature"},
        {NODE("\"prediction\":1"), AT "prediction: expected an array"},
        {NODE("\"prediction\":[]"), AT "prediction: expected shares with a sum of 1"},
        {NODE("\"prediction\":[1]"), AT "prediction: expected at least 2 shares"},
        {NODE("\"prediction\":[0.5,0.4]"), AT "prediction: expected shares with a sum of 1"},
        {NODE("\"prediction\":[1.5,-0.5]"),
         AT "prediction: expected at most 100000 shares from 0 to 1"},
        {NODE("\"prediction\":[NaN,1]"),
         AT "prediction: expected at most 100000 shares from 0 to 1"},
        {NODE("\"prediction\":[[1,0]]"),
         AT "prediction: expected at most 100000 shares from 0 to 1"},
        {"[" LEAF(1, "1,0") "," LEAF(1, "1,0,0") "]",
         "name:1: tree 1, node 0: prediction: expected 2 shares, as in the first leaf"},
        {"[" INNER(2, 0, 1, LEAF(1, "1,0"), LEAF(-1, "1,0")) "]",
         "name:1: tree 0, node 2: numSamples: expected an integer from 0 to 9007199254740992"},
        {NODE("\"numSamples\":1"), AT "numSamples: duplicate key"},
        {NODE("\"weight\":1"), AT "weight: unknown key"},
        {NODE("\"id\":-1"), AT "id: expected an integer from 0"},
        {NODE("\"feature\":-1"), AT "feature: expected an integer from 0 to 15999999"},
        {NODE("\"feature\":16000000"), AT "feature: expected an integer from 0 to 15999999"},
        {NODE("\"feature\":1.5"), AT "feature: expected an integer from 0 to 15999999"},
        {NODE("\"split\":\"1\""), AT "split: expected a finite number"},
        {NODE("\"split\":Infinity"), AT "split: expected a finite number"},
        {NODE("\"split\":1e999"), AT "split: expected a finite number"},
        {NODE("\"probLeft\":2"), AT "probLeft: expected a number from 0 to 1"},
        {NODE("\"isCategorical\":\"True\""),
         AT "categorical splits (x == split) are not supported"},
        {NODE("\"isCategorical\":0"), AT "isCategorical: expected \"False\""},
        {NODE("\"leftChild\":3"), AT "leftChild: expected an object"},
        {NODE("\"rightChild\":[]"), AT "rightChild: expected an object"},
    };
    assert_refused("archforest", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("archforest", THREE);
}

/* The deepest nesting allowed: an array, the inner nodes, a leaf and its shares. */
static void test_depth(void **state) {
    (void)state;
    enum { DEPTH = JSON_STREAM_MAX_DEPTH - 3 };
    static const char down[] = "{\"numSamples\":2,\"isCategorical\":\"False\",\"feature\":0,"
                               "\"split\":1,\"rightChild\":" LEAF(1, "1,0") ",\"leftChild\":";
    char *text = malloc((DEPTH + 2) * sizeof down + 100), *end = text;
    assert_non_null(text);
    for (size_t depth = DEPTH; depth <= DEPTH + 1; depth++) {
        end = text + sprintf(text, "[");
        for (size_t i = 0; i < depth; i++)
            end += sprintf(end, "%s", down);
        end += sprintf(end, LEAF(1, "0,1"));
        memset(end, '}', depth);
        strcpy(end + depth, "]");
        struct ensemble *e = NULL;
        struct error error = {""};
        enum status status = read_copy("archforest", text, strlen(text), &e, &error);
        if (depth == DEPTH) {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(e->tree_depth[0], DEPTH);
        } else {
            assert_string_equal(error.text, "name:1: nested deeper than 512 arrays and objects");
        }
        ensemble_free(e);
    }
    free(text);
}

/* --- scikit-learn's own trees ----------------------------------------------------------------- */

/* The class with the most votes, or the first of several. *votes is its number of votes. */
static uint32_t winner(const struct ensemble *e, const float *x, double *votes) {
    uint32_t best = 0;
    *votes = score_by_walking(e, x, 0);
    for (uint32_t class = 1; class < e->n_outputs; class ++) {
        double score = score_by_walking(e, x, class);
        if (score > *votes) {
            *votes = score;
            best = class;
        }
    }
    return best;
}

/* The columns after the features in a model's test rows: label, votes_for_winner and
 * majority_class. The last is the label of the matrix; the others are its last two columns. */
static size_t count_wrong(const struct ensemble *e, const struct matrix *rows) {
    size_t wrong = 0;
    for (size_t row = 0; row < rows->n_rows; row++) {
        const float *x = matrix_row(rows, row);
        double votes;
        uint32_t class = winner(e, x, &votes);
        wrong += (float)class != rows->labels[row] || votes != (double)x[rows->n_features - 1];
    }
    return wrong;
}

static void check_votes(const char *model, double n_trees, size_t n_rows) {
    char model_file[256], rows_file[256];
    snprintf(model_file, sizeof model_file, "models/sklearn/%s.archforest.json.gz", model);
    snprintf(rows_file, sizeof rows_file, "models/sklearn/%s.test.csv.gz", model);
    struct ensemble *e = real_model(model_file);
    struct matrix *rows = real_documents(rows_file, "majority_class");
    assert_true(e->n_features + 2 <= rows->n_features);
    size_t wrong = count_wrong(e, rows);
    print_message("%s: %u features, %u outputs, %u trees, %zu rows, %zu wrong\n", model,
                  e->n_features, e->n_outputs, e->n_trees, rows->n_rows, wrong);
    assert_int_equal(e->n_trees, n_trees);
    assert_int_equal(rows->n_rows, n_rows);
    assert_int_equal(wrong, 0);
    matrix_free(rows);
    ensemble_free(e);
}

static void test_real_votes(void **state) {
    (void)state;
    check_votes("adult.rf25.depth5", 25, 1500);
    check_votes("letter.rf25.depth10", 25, 1500);
    check_votes("letter.rf25.depth20", 25, 1500);
    check_votes("magic.rf25.depth15", 25, 1500);
    check_votes("satimage.et25.depth15", 25, 1500);
    check_votes("spambase.et25.depth5", 25, 1151);
    check_votes("wine_quality_white.dt1.depth20", 1, 1225);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_of_three_classes),
        cmocka_unit_test(test_two_classes_are_two_outputs),
        cmocka_unit_test(test_thresholds_are_doubles),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_members_in_any_order),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_real_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
