/* Metrics against XGBoost's own, through its C API: a booster without trees predicts the base
 * margins that it is given, which here are the scores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "harness/quality/metrics.h"

#include <math.h>
#include <string.h>
#include <xgboost/c_api.h>

enum { QUERIES = 60, QUERY_MAX = 40, ROWS_MAX = QUERIES * QUERY_MAX };

/* Scores are floats, like XGBoost's. */
struct made_up {
    struct matrix documents;
    struct scored_documents scored;
    float labels[ROWS_MAX], margins[ROWS_MAX];
    double scores[ROWS_MAX];
    size_t query_row[QUERIES + 1];
};

/* Scores are one of n_scores values: few of them give ties. Every fourth query has no relevant
 * document; others have labels up to label_max. */
static void make_up(struct made_up *m, uint32_t n_scores, uint32_t label_max) {
    struct random random;
    random_seed(&random, 20110901);
    *m = (struct made_up){.scored = {&m->documents, m->scores, 1}};
    size_t row = 0;
    for (size_t q = 0; q < QUERIES; q++) {
        size_t size = 1 + random_below(&random, QUERY_MAX);
        for (size_t i = 0; i < size; i++, row++) {
            m->labels[row] = q % 4 == 1 ? 0 : (float)random_below(&random, label_max + 1);
            m->margins[row] = (float)random_below(&random, n_scores) / 64 - 3;
            m->scores[row] = (double)m->margins[row];
        }
        m->query_row[q + 1] = row;
    }
    m->documents = (struct matrix){
        .n_rows = row, .labels = m->labels, .query_row = m->query_row, .n_queries = QUERIES};
}

static void check(int result) {
    if (result)
        fail_msg("XGBoost: %s", XGBGetLastError());
}

static DMatrixHandle give_to_xgboost(const struct made_up *m) {
    static const float nothing[ROWS_MAX];
    DMatrixHandle matrix;
    unsigned sizes[QUERIES];
    size_t n = m->documents.n_rows;
    for (size_t q = 0; q < QUERIES; q++)
        sizes[q] = (unsigned)(m->query_row[q + 1] - m->query_row[q]);
    check(XGDMatrixCreateFromMat(nothing, n, 1, NAN, &matrix));
    check(XGDMatrixSetFloatInfo(matrix, "label", m->labels, n));
    check(XGDMatrixSetFloatInfo(matrix, "base_margin", m->margins, n));
    check(XGDMatrixSetUIntInfo(matrix, "group", sizes, QUERIES));
    return matrix;
}

static double ask_xgboost(const struct made_up *m, const char *objective, const char *metric) {
    DMatrixHandle matrix = give_to_xgboost(m);
    BoosterHandle booster;
    const char *name = "scores", *text = NULL;
    double value = NAN;
    check(XGBoosterCreate(&matrix, 1, &booster));
    check(XGBoosterSetParam(booster, "objective", objective));
    check(XGBoosterSetParam(booster, "eval_metric", metric));
    check(XGBoosterSetParam(booster, "nthread", "1"));
    check(XGBoosterEvalOneIter(booster, 0, &matrix, &name, 1, &text));
    const char *colon = strrchr(text, ':');
    assert_non_null(colon);
    assert_non_null(number_parse_double(colon + 1, text + strlen(text), &value));
    check(XGBoosterFree(booster));
    check(XGDMatrixFree(matrix));
    return value;
}

static double ask_treebench(const struct made_up *m, const char *name,
                            enum no_relevant no_relevant) {
    struct metric metric;
    struct error error = {""};
    double value = NAN;
    assert_int_equal(metric_parse(name, &metric, &error), STATUS_OK);
    if (metric_compute(&metric, &m->scored, no_relevant, &value, &error))
        fail_msg("%s: %s", name, error.text);
    return value;
}

static void assert_near(const char *name, double value, double expected) {
    if (!(fabs(value - expected) <= 1e-6))
        fail_msg("%s is %.9g, XGBoost's %.9g", name, value, expected);
}

static void assert_ranking_agrees(const struct made_up *m) {
    static const struct {
        const char *name, *xgboost_one, *xgboost_zero;
    } metrics[] = {
        {"ndcg", "ndcg", "ndcg-"},          {"ndcg@1", "ndcg@1", "ndcg@1-"},
        {"ndcg@3", "ndcg@3", "ndcg@3-"},    {"ndcg@10", "ndcg@10", "ndcg@10-"},
        {"ndcg@99", "ndcg@99", "ndcg@99-"}, {"map", "map", "map-"},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const char *name = metrics[i].name;
        double one = ask_treebench(m, name, NO_RELEVANT_ONE);
        double zero = ask_treebench(m, name, NO_RELEVANT_ZERO);
        assert_near(name, one, ask_xgboost(m, "rank:ndcg", metrics[i].xgboost_one));
        assert_near(name, zero, ask_xgboost(m, "rank:ndcg", metrics[i].xgboost_zero));
        assert_true(one > zero + 0.1); /* both conventions were really asked for */
    }
}

static void ndcg_and_map_are_those_of_xgboost(void **state) {
    (void)state;
    static struct made_up m;
    make_up(&m, 1 << 20, 4);
    assert_ranking_agrees(&m);
}

/* Both rank equal scores in the order of the documents. */
static void ties_are_ranked_as_xgboost_does(void **state) {
    (void)state;
    static struct made_up m;
    make_up(&m, 5, 4);
    assert_ranking_agrees(&m);
}

static void rmse_and_accuracy_are_those_of_xgboost(void **state) {
    (void)state;
    static struct made_up m;
    make_up(&m, 512, 1);
    assert_near("rmse", ask_treebench(&m, "rmse", NO_RELEVANT_SKIP),
                ask_xgboost(&m, "reg:squarederror", "rmse"));
    assert_near("accuracy@0.25", ask_treebench(&m, "accuracy@0.25", NO_RELEVANT_SKIP),
                1 - ask_xgboost(&m, "reg:squarederror", "error@0.25"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndcg_and_map_are_those_of_xgboost),
        cmocka_unit_test(ties_are_ranked_as_xgboost_does),
        cmocka_unit_test(rmse_and_accuracy_are_those_of_xgboost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
