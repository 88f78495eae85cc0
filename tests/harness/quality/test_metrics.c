/* Metrics against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/quality/metrics.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 8 };

/* A matrix of labels and at most two queries, on the stack. */
struct example {
    struct matrix documents;
    struct scored_documents scored;
    float labels[ROWS_MAX];
    double scores[ROWS_MAX];
    size_t query_row[3];
};

static void example_init(struct example *e, size_t n_rows, const float *labels,
                         const double *scores, uint32_t n_outputs) {
    *e = (struct example){.documents = {.n_rows = n_rows, .labels = e->labels}};
    memcpy(e->labels, labels, n_rows * sizeof *labels);
    memcpy(e->scores, scores, n_rows * n_outputs * sizeof *scores);
    e->scored = (struct scored_documents){&e->documents, e->scores, n_outputs};
}

/* The rows from `second` on are a second query; 0: there is one query. */
static void example_set_queries(struct example *e, size_t second) {
    e->documents.query_row = e->query_row;
    e->documents.n_queries = second ? 2 : 1;
    e->query_row[1] = second;
    e->query_row[e->documents.n_queries] = e->documents.n_rows;
}

static double value_of(const char *name, const struct example *e, enum no_relevant no_relevant) {
    struct metric metric;
    struct error error = {""};
    double value = -1;
    assert_int_equal(metric_parse(name, &metric, &error), STATUS_OK);
    if (metric_compute(&metric, &e->scored, no_relevant, &value, &error))
        fail_msg("%s: %s", name, error.text);
    return value;
}

static void check(const char *name, const struct example *e, double expected) {
    double value = value_of(name, e, NO_RELEVANT_ZERO);
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%s is %.12g instead of %.12g", name, value, expected);
}

static void check_refused(const char *name, const struct example *e, const char *words) {
    struct metric metric;
    struct error error = {""};
    double value = 0;
    assert_int_equal(metric_parse(name, &metric, &error), STATUS_OK);
    assert_int_equal(metric_compute(&metric, &e->scored, NO_RELEVANT_SKIP, &value, &error),
                     STATUS_INPUT);
    if (!strstr(error.text, words))
        fail_msg("%s: '%s' does not say '%s'", name, error.text, words);
}

/* --- NDCG and MAP ----------------------------------------------------------------------------- */

/* In the order of the scores the labels are 3 2 3 0 1 2:
 * DCG = 7 + 3/log2(3) + 7/2 + 0 + 1/log2(6) + 3/log2(7) = 13.848263629
 * ideal = 7 + 7/log2(3) + 3/2 + 3/log2(5) + 1/log2(6) + 0 = 14.595390757 */
static void ndcg_by_hand(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 6, (float[]){0, 3, 2, 3, 2, 1}, (double[]){3, 6, 5, 4, 1, 2}, 1);
    example_set_queries(&e, 0);
    check("ndcg", &e, 13.848263629272981 / 14.595390756454922);
    check("ndcg@6", &e, 13.848263629272981 / 14.595390756454922);
    check("ndcg@1000", &e, 13.848263629272981 / 14.595390756454922);
    check("ndcg@1", &e, 1);
    check("ndcg@2", &e, (7 + 3 / log2(3)) / (7 + 7 / log2(3)));
    check("ndcg@4", &e, (7 + 3 / log2(3) + 3.5) / (7 + 7 / log2(3) + 1.5 + 3 / log2(5)));
}

/* One relevant document at rank 3 has a discount of 1/log2(4). */
static void rank_three_counts_half(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 4, (float[]){0, 0, 1, 0}, (double[]){0.5, 0.25, -7, -INFINITY}, 1);
    example_set_queries(&e, 0);
    check("ndcg", &e, 0.5);
    check("ndcg@3", &e, 0.5);
    check("ndcg@2", &e, 0);
    check("map", &e, 1.0 / 3);
}

/* Relevant at ranks 1 and 3 of 4: (1/1 + 2/3) / 2; at ranks 2 and 3 of 3: (1/2 + 2/3) / 2. */
static void map_by_hand(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 7, (float[]){2, 0, 1, 0, 0, 1, 1}, (double[]){9, 8, 7, 6, 3, 2, 1}, 1);
    example_set_queries(&e, 4);
    check("map", &e, ((1 + 2.0 / 3) / 2 + (0.5 + 2.0 / 3) / 2) / 2);
}

static void ties_keep_the_order_of_documents(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 3, (float[]){0, 0, 1}, (double[]){1, 1, 1}, 1);
    example_set_queries(&e, 0);
    check("ndcg", &e, 0.5);
    example_init(&e, 3, (float[]){1, 0, 0}, (double[]){1, 1, 1}, 1);
    example_set_queries(&e, 0);
    check("ndcg", &e, 1);
}

/* The first query's NDCG is 0.5, its average precision 1/3; the second has no relevant document. */
static void queries_without_relevant_documents(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 5, (float[]){0, 0, 1, 0, 0}, (double[]){3, 2, 1, 2, 1}, 1);
    example_set_queries(&e, 3);
    assert_true(value_of("ndcg", &e, NO_RELEVANT_ZERO) == 0.25);
    assert_true(value_of("ndcg", &e, NO_RELEVANT_ONE) == 0.75);
    assert_true(value_of("ndcg", &e, NO_RELEVANT_SKIP) == 0.5);
    assert_true(value_of("map", &e, NO_RELEVANT_ONE) == (1.0 / 3 + 1) / 2);
    assert_int_equal(metric_count_no_relevant(&e.documents), 1);
    double values[2];
    const struct metric ndcg = {.kind = METRIC_NDCG, .depth = SIZE_MAX};
    assert_int_equal(metric_of_queries(&ndcg, &e.scored, NO_RELEVANT_SKIP, values, NULL), 0);
    assert_true(values[0] == 0.5 && isnan(values[1]));
    e.labels[2] = 0;
    check_refused("ndcg", &e, "no query has a relevant document");
}

/* --- accuracy and RMSE ------------------------------------------------------------------------ */

static void accuracy_of_one_output(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 4, (float[]){1, 0, -1, 1}, (double[]){0.1, 0, 0.4, 0.6}, 1);
    check("accuracy", &e, 0.75); /* 0 is not over 0; 0.4 is */
    check("accuracy@0.5", &e, 0.75);
    check("accuracy@1e9", &e, 0.5);
    e.labels[3] = 2;
    check_refused("accuracy", &e, "document 3");
}

static void accuracy_of_several_outputs(void **state) {
    (void)state;
    struct example e;
    /* Largest: 1, 0 (the first of equals), 1. */
    example_init(&e, 3, (float[]){1, 0, 0}, (double[]){-2, -1, 3, 3, 0, 1}, 2);
    check("accuracy", &e, 2.0 / 3);
    e.labels[1] = 2;
    check_refused("accuracy", &e, "label 2");
    e.labels[1] = 0.5;
    check_refused("accuracy", &e, "label 0.5");
    check_refused("rmse", &e, "2 outputs");
    example_set_queries(&e, 0);
    check_refused("ndcg", &e, "2 outputs");
}

static void rmse_by_hand(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 2, (float[]){1, -2}, (double[]){4, 2}, 1);
    check("rmse", &e, sqrt((9 + 16) / 2.0));
}

/* --- refusals --------------------------------------------------------------------------------- */

static void what_cannot_be_judged_is_refused(void **state) {
    (void)state;
    struct example e;
    example_init(&e, 2, (float[]){1, 0}, (double[]){4, 2}, 1);
    check_refused("ndcg", &e, "no queries");
    check_refused("map", &e, "no queries");
    example_set_queries(&e, 0);
    e.labels[1] = -1;
    check_refused("ndcg", &e, "label -1");
    e.labels[1] = 32;
    check_refused("ndcg", &e, "0 to 31");
    e.labels[1] = 31; /* ranked second, by a gain that leaves nothing of the other's */
    check("ndcg", &e, (1 + (0x1p31 - 1) / log2(3)) / (0x1p31 - 1 + 1 / log2(3)));
    e.labels[1] = NAN;
    check_refused("rmse", &e, "label nan");
    e.labels[1] = 0;
    e.scores[1] = NAN;
    check_refused("map", &e, "document 1 (counted from 0): the score is not a number");
    e.documents.labels = NULL;
    check_refused("rmse", &e, "no labels");
}

static void names_are_strict(void **state) {
    (void)state;
    static const char *const wrong[] = {"",      "NDCG",    "ndcg@",     "ndcg@0",       "ndcg@-1",
                                        "map@3", "ndcg@1x", "accuracy@", "accuracy@nan", "rmse@1"};
    struct metric metric;
    struct error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (metric_parse(wrong[i], &metric, &error) != STATUS_INPUT)
            fail_msg("'%s' was accepted", wrong[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndcg_by_hand),
        cmocka_unit_test(rank_three_counts_half),
        cmocka_unit_test(map_by_hand),
        cmocka_unit_test(ties_keep_the_order_of_documents),
        cmocka_unit_test(queries_without_relevant_documents),
        cmocka_unit_test(accuracy_of_one_output),
        cmocka_unit_test(accuracy_of_several_outputs),
        cmocka_unit_test(rmse_by_hand),
        cmocka_unit_test(what_cannot_be_judged_is_refused),
        cmocka_unit_test(names_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
