/* XGBoost's JSON and UBJSON: hand-made models, scored by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/rewrite.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"
#include "tests/models/xgboost/xgboost_text.h"

#define BELOW_HALF 0x1.fffffep-2F

static struct ensemble *read_ubjson(const char *json) {
    struct bytes bytes = to_ubjson(json);
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_true(format_named("xgboost-ubjson")->recognise(bytes.data, bytes.size));
    if (read_copy("xgboost-ubjson", bytes.data, bytes.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    free(bytes.data);
    return e;
}

static void test_scores_by_hand(void **state) {
    (void)state;
    struct ensemble *e = read_good("xgboost", XGB_TWO_TREES);
    const struct {
        float x[2];
        double score;
    } rows[] = {
        /* the children are swapped in the file: left is node 2 */
        {{-2, BELOW_HALF}, 13}, {{-1, BELOW_HALF}, 14},
        {{-2, 0.5F}, 12},       {{NAN, 0}, 14},
        {{-2, NAN}, 13},        {{NAN, NAN}, 14},
        {{9, INFINITY}, 12},    {{-INFINITY, -INFINITY}, 13},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    assert_int_equal(e->n_features, 2);
    assert_int_equal(e->n_trees, 2);
    assert_int_equal(e->n_leaves, 4);
    struct ensemble *same = read_ubjson(XGB_TWO_TREES);
    assert_true(same_ensemble(e, same));
    ensemble_free(same);
    ensemble_free(e);
}

static void test_feature_names(void **state) {
    (void)state;
    static const char none[] = "\"feature_names\": []";
    const char *model = XGB_TWO_TREES, *begin = strstr(model, none);
    char text[sizeof XGB_TWO_TREES + 64];
    const struct {
        const char *names, *expected; /* NULL if the names are valid */
    } cases[] = {
        {"[\"a b\", \"\xc3\xa4\"]", NULL},
        {"[\"a\"]", "name: feature_names: found 1, expected 2 (one per feature)"},
        {"[\"a\", \"b\", \"c\"]", "name: feature_names: found 3, expected 2 (one per feature)"},
        {"[\"a\", 1]", "name:1: feature_names: expected an array of names"},
        {"\"a\"", "name:1: feature_names: expected an array"},
        {"[\"a\", \"\\u0000\"]", "name:1: feature_names: name 1 contains a NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%.*s\"feature_names\": %s%s", (int)(begin - model), model,
                 cases[i].names, begin + sizeof none - 1);
        if (cases[i].expected) {
            assert_refused("xgboost", &(struct bad_text){text, cases[i].expected}, 1);
            continue;
        }
        struct ensemble *e = read_good("xgboost", text), *same = read_ubjson(text);
        assert_memory_equal(e->feature_names, "a b\0\xc3\xa4", 7);
        assert_memory_equal(same->feature_names, "a b\0\xc3\xa4", 7);
        ensemble_free(same);
        ensemble_free(e);
    }
    snprintf(text, sizeof text, "%.*s\"feature_names\": %s%s", (int)(begin - model), model,
             "[\"\\u00e4\\\"\", \"\\\\u0000\"]", begin + sizeof none - 1);
    struct ensemble *e = read_good("xgboost", text);
    assert_memory_equal(e->feature_names, "\xc3\xa4\"\0\\u0000", 11);
    ensemble_free(e);
}

static void test_infinite_conditions(void **state) {
    (void)state;
    struct ensemble *e = read_good(
        "xgboost", XGB_MODEL("reg:squarederror", "0", "0", "1", "2", "0, 0",
                             XGB_TREE("1,-1,-1", "2,-1,-1", "0,0,0", "-Infinity,1,2", "1,0,0",
                                      "3") "," XGB_TREE("1,-1,-1", "2,-1,-1", "0,0,0",
                                                        "Infinity,10,20", "0,0,0", "3")));
    const float x[] = {-INFINITY, 0, INFINITY, NAN};
    const double scores[] = {12, 12, 22, 21};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        assert_true(score_by_walking(e, &x[i], 0) == scores[i]);
    ensemble_free(e);
}

static void test_base_scores(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double base;
    } cases[] = {
        {XGB_ONE_LEAF("binary:logistic", "5E-1"), 0},
        {XGB_ONE_LEAF("binary:logistic", "0.25"), -1.0986122886681098},
        {XGB_ONE_LEAF("binary:logitraw", "0.25"), 0.25},
        {XGB_ONE_LEAF("reg:logistic", "[2.5E-1]"), -1.0986122886681098},
        {XGB_ONE_LEAF("count:poisson", "2"), 0.6931471805599453},
        {XGB_ONE_LEAF("reg:gamma", "2"), 0.6931471805599453},
        {XGB_ONE_LEAF("reg:tweedie", "2"), 0.6931471805599453},
        {XGB_ONE_LEAF("survival:cox", "2"), 0.6931471805599453},
        {XGB_ONE_LEAF("survival:aft", "2"), 0.6931471805599453},
        {XGB_ONE_LEAF("rank:ndcg", "-2.5"), -2.5},
        {XGB_ONE_LEAF("reg:squarederror", "[7]"), 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ensemble *e = read_good("xgboost", cases[i].model);
        assert_true(fabs(e->base[0] - cases[i].base) < 1e-7);
        ensemble_free(e);
    }
}

/* The meaning of base scores depends on the version. */
static void test_base_scores_by_version(void **state) {
    (void)state;
    static const struct {
        const char *objective, *base, *version;
        double margin;
    } cases[] = {
        {"binary:logitraw", "0.25", "[1, 3, 1]", 0.25},
        {"binary:logitraw", "0.25", "[1, 3, 0]", -1.0986122886681098},
        {"binary:logitraw", "0.25", "[1, 2, 1]", -1.0986122886681098},
        {"binary:logitraw", "0.25", "[3, 0, 0]", 0.25},
        {"binary:logistic", "0", "[3, 2, 0]", -13.815509557963773},
        {"binary:logistic", "1", "[4, 0, 0]", 13.745160102844238},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[4096];
        snprintf(model, sizeof model, XGB_ONE_LEAF("%s", "%s"), cases[i].base, cases[i].objective);
        char *text = xgb_replaced(model, "[1, 4, 0]", cases[i].version);
        struct ensemble *e = read_good("xgboost", text);
        if (!(fabs(e->base[0] - cases[i].margin) < 1e-6))
            fail_msg("case %zu: %.9g", i, e->base[0]);
        ensemble_free(e);
        free(text);
    }
    char *old = xgb_replaced(XGB_ONE_LEAF("binary:logistic", "0"), "[1, 4, 0]", "[3, 1, 3]");
    assert_refused(
        "xgboost",
        &(struct bad_text){
            old, "name: base_score: 0 cannot be converted to a finite raw score (margin) for"},
        1);
    free(old);
}

/* Every output except the first is a step above the one before: softplus(margin) + 1e-6. */
static void test_expectiles(void **state) {
    (void)state;
    struct ensemble *e = read_good("xgboost", XGB_MODEL("reg:expectileerror", "[1,1.5,1.5]", "3",
                                                        "1", "1", "2", XGB_LEAF("0")));
    assert_true(e->base[0] == 1);
    assert_true(fabs(log1p(exp(e->base[1])) + 1e-6 - 0.5) < 1e-6);
    assert_true(fabs(e->base[2] - -13.815510) < 1e-4);
    ensemble_free(e);
}

static void test_outputs(void **state) {
    (void)state;
    struct ensemble *e = read_good(
        "xgboost",
        XGB_MODEL("multi:softprob", "[1,2,4]", "3", "2", "4", "0, 2, 1, 2",
                  XGB_LEAF("10") "," XGB_LEAF("20") "," XGB_LEAF("30") "," XGB_LEAF("40")));
    const float x[2] = {0};
    const double scores[] = {11, 32, 64};
    assert_int_equal(e->n_outputs, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_true(score_by_walking(e, x, k) == scores[k]);
    ensemble_free(e);
}

/* The place of the weights changed twice. */
static void test_dart(void **state) {
    (void)state;
    static const char weights[] = "\"weight_drop\": [0.5, 2E0]";
    char *beside_trees = xgb_replaced(XGB_TWO_TREES, "\"tree_info\"", "%s, \"tree_info\"");
    char *beside_model =
        xgb_replaced(XGB_TWO_TREES, "\"name\": \"gbtree\"", "\"name\": \"gbtree\", %s");
    const char *models[] = {XGB_MODEL_IN("\"gbtree\": {",
                                         ", \"name\": \"gbtree\"}, \"name\": \"dart\", %s",
                                         "reg:squarederror", "5E-1", "0", "2", "2", "0, 0",
                                         XGB_THREE_LEAVES "," XGB_LEAF("10")),
                            beside_trees, beside_model};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char *text = xgb_replaced(models[i], "%s", weights);
        struct ensemble *e = read_good("xgboost", text), *same = read_ubjson(text);
        assert_true(score_by_walking(e, (const float[]){0, 1}, 0) == 0.5 + 0.75 + 20);
        assert_true(same_ensemble(e, same));
        ensemble_free(same);
        ensemble_free(e);
        free(text);
    }
    free(beside_model);
    free(beside_trees);
}

/* If the file does not list the first trees of iterations, they are counted. */
static void test_best_iteration(void **state) {
    (void)state;
    static const struct {
        const char *attributes, *more, *info;
        uint32_t trees;
    } cases[] = {
        {"", "", "0, 0, 0, 0", 0},
        {"\"best_iteration\": \"1\"", "", "0, 0, 0, 0", 2},
        {"\"best_iteration\": \"3\"", "", "0, 0, 0, 0", 4},
        {"\"best_iteration\": \"4\"", "", "0, 0, 0, 0", 0},
        {"\"best_iteration\": \"none\"", "", "0, 0, 0, 0", 0},
        {"\"best_iteration\": \"4294967295\"", "", "0, 0, 0, 0", 0},
        {"\"best_iteration\": \"0\"", "\"num_parallel_tree\": \"2\", ", "0, 0, 0, 0", 2},
        {"\"best_iteration\": \"0\", \"best_ntree_limit\": \"3\"", "", "0, 0, 0, 0", 3},
        {"\"best_iteration\": \"0\"", "", "0, 1, 0, 1", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[4096];
        snprintf(model, sizeof model,
                 XGB_MODEL("multi:softprob", "0", "%s", "1", "4", "%s",
                           XGB_LEAF("1") "," XGB_LEAF("2") "," XGB_LEAF("3") "," XGB_LEAF("4")),
                 cases[i].info, strchr(cases[i].info, '1') ? "2" : "0");
        char *named = xgb_replaced(model, "\"a\": \"\\u00e4\"", cases[i].attributes);
        char *text = xgb_replaced(named, "\"num_trees\"", "%s\"num_trees\"");
        snprintf(model, sizeof model, text, cases[i].more);
        struct ensemble *e = read_good("xgboost", model), *same = read_ubjson(model);
        if (e->best_trees != cases[i].trees)
            fail_msg("case %zu: %u trees", i, e->best_trees);
        assert_int_equal(same->best_trees, e->best_trees);
        ensemble_free(same);
        ensemble_free(e);
        free(text);
        free(named);
    }
}

static void test_best_iteration_of_known_trees(void **state) {
    (void)state;
    char *best = xgb_replaced(XGB_TWO_TREES, "\"a\": \"\\u00e4\"", "\"best_iteration\": \"0\"");
    char *all = xgb_replaced(best, "\"tree_info\"", "\"iteration_indptr\": [0, 2], \"tree_info\"");
    struct ensemble *e = read_good("xgboost", all);
    assert_int_equal(e->best_trees, 2);
    ensemble_free(e);
    free(all);
    free(best);
}

/* --- categorical splits ----------------------------------------------------------------------- */

static const float some_values[] = {
    -INFINITY,  -1, -0.5F, -1e-45F, -0.0F, 0, 0.5F, 0.9999999F, 1,        1.5F, 2,        3,
    3.9999998F, 4,  6.9F,  7,       7.5F,  8, 100,  16777214,   16777215, 2e7F, 16777216, INFINITY};

static bool contains(const unsigned *set, size_t n, float x) {
    for (size_t i = 0; i < n; i++) {
        if (x >= 0 && x < 16777216 && (unsigned)x == set[i])
            return true;
    }
    return false;
}

static void check_categorical(const char *model, const unsigned *set, size_t n, bool default_left) {
    struct ensemble *e = read_good("xgboost", model);
    for (size_t i = 0; i < sizeof some_values / sizeof *some_values; i++) {
        double expected = contains(set, n, some_values[i]) ? 2 : 1;
        if (score_by_walking(e, &some_values[i], 0) != expected)
            fail_msg("category %g: expected %g", (double)some_values[i], expected);
    }
    const float missing = NAN;
    assert_true(score_by_walking(e, &missing, 0) == (default_left ? 1 : 2));
    ensemble_free(e);
}

static void test_categorical(void **state) {
    (void)state;
    check_categorical(XGB_CATEGORICAL("0,2,3,7", "0", "4", "0"), (unsigned[]){0, 2, 3, 7}, 4,
                      false);
    check_categorical(XGB_CATEGORICAL("9,7,3,2,0,9", "1", "4", "1"), (unsigned[]){0, 2, 3, 7}, 4,
                      true);
    check_categorical(XGB_CATEGORICAL("1", "0", "1", "0"), (unsigned[]){1}, 1, false);
    check_categorical(XGB_CATEGORICAL("1,1,1", "0", "3", "1"), (unsigned[]){1}, 1, true);
    check_categorical(XGB_CATEGORICAL("16777215", "0", "1", "0"), (unsigned[]){16777215}, 1, false);
    check_categorical(XGB_CATEGORICAL("", "0", "0", "0"), (unsigned[]){0}, 0, false);
    check_categorical(XGB_CATEGORICAL("", "0", "0", "1"), (unsigned[]){0}, 0, true);
}

/* A chain of categorical nodes on different features, each with `n` separate categories: every
 * level copies what is below it n + 1 times. */
static char *make_chain(unsigned levels, unsigned n) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{\"learner\":{\"gradient_booster\":{\"model\":{\"gbtree_model_param\":{\"num_trees\":"
          "\"1\"},\"tree_info\":[0],\"trees\":[{\"categories\":[",
          out);
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%s%u", i ? "," : "", 2 * i);
    static const char *const names[] = {"categories_nodes", "categories_segments",
                                        "categories_sizes", "left_children",
                                        "right_children",   "split_type"};
    for (int a = 0; a < 6; a++) {
        fprintf(out, "],\"%s\":[", names[a]);
        for (unsigned i = 0; i < levels; i++) {
            unsigned values[] = {i, 0, n, i + 1, levels + 1 + i, 1};
            fprintf(out, "%s%u", i ? "," : "", values[a]);
        }
        for (unsigned i = 0; a >= 3 && i <= levels; i++)
            fputs(a == 5 ? ",0" : ",-1", out);
    }
    static const char *const zeros[] = {"split_indices", "split_conditions", "default_left"};
    for (int a = 0; a < 3; a++) {
        fprintf(out, "],\"%s\":[0", zeros[a]);
        for (unsigned i = 1; i < 2 * levels + 1; i++)
            fprintf(out, ",%u", a == 0 && i < levels ? i : 0);
    }
    fprintf(out,
            "],\"tree_param\":{\"num_nodes\":\"%u\"}}]},\"name\":\"gbtree\"},"
            "\"learner_model_param\":{\"base_score\":\"0\",\"num_feature\":\"%u\"},"
            "\"objective\":{\"name\":\"reg:squarederror\"}}}",
            2 * levels + 1, levels);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_too_many_copies(void **state) {
    (void)state;
    char *few = make_chain(2, 10), *many = make_chain(12, 10);
    struct ensemble *e = read_good("xgboost", few), *plain = NULL;
    struct error error;
    assert_int_equal(e->n_leaves, 3);
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_OK);
    assert_int_equal(plain->n_leaves, 10 + 11 * 21);
    ensemble_free(plain);
    ensemble_free(e);
    e = read_good("xgboost", many);
    assert_int_equal(ensemble_rewrite_sets(e, &plain, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "groups of categories by numeric tests takes more than"));
    ensemble_free(e);
    free(few);
    free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_feature_names),
        cmocka_unit_test(test_infinite_conditions),
        cmocka_unit_test(test_base_scores),
        cmocka_unit_test(test_base_scores_by_version),
        cmocka_unit_test(test_expectiles),
        cmocka_unit_test(test_best_iteration),
        cmocka_unit_test(test_best_iteration_of_known_trees),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_dart),
        cmocka_unit_test(test_categorical),
        cmocka_unit_test(test_too_many_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
