/* The quality of scores: NDCG, MAP, accuracy and RMSE. docs/metrics.md states every convention. */
#ifndef HARNESS_MEASURE_METRICS_H
#define HARNESS_MEASURE_METRICS_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

enum metric_kind {
    METRIC_NDCG, /* gain 2^label - 1, discount 1 / log2(1 + rank) (Burges) */
    METRIC_MAP,  /* a document with a positive label is relevant */
    /* The predicted class is the output with the largest score. A single output predicts class 1 if
     * its score exceeds the threshold. */
    METRIC_ACCURACY,
    METRIC_RMSE
};

struct metric {
    enum metric_kind kind;
    size_t depth;     /* NDCG: number of ranks; SIZE_MAX: all */
    double threshold; /* accuracy of one output */
};

/* The value of NDCG and average precision for a query without relevant documents. */
enum no_relevant {
    NO_RELEVANT_ZERO, /* like the scripts of LETOR and MSLR, and XGBoost's "ndcg@10-" */
    NO_RELEVANT_ONE,  /* like XGBoost's "ndcg@10" and LightGBM */
    NO_RELEVANT_SKIP  /* the query is left out of the mean */
};

/* Documents with labels (and with queries, if the metric needs them) and their scores. */
struct scored_documents {
    const struct matrix *documents;
    const double *scores; /* [n_rows * n_outputs], never NaN */
    uint32_t n_outputs;
};

/* Parses "ndcg@10", "ndcg", "map", "accuracy", "accuracy@0.5" or "rmse". */
enum status metric_parse(const char *text, struct metric *metric, struct error *error);

/* Computes NDCG or average precision per query: values[n_queries], NaN for skipped queries. Equal
 * scores are ranked in the order of the documents. */
enum status metric_of_queries(const struct metric *metric, const struct scored_documents *scored,
                              enum no_relevant no_relevant, double *values, struct error *error);

/* Computes any metric. A per-query metric is averaged over queries. Fails if labels or queries are
 * missing, if the metric is not defined for a label, or if every query is skipped. */
enum status metric_compute(const struct metric *metric, const struct scored_documents *scored,
                           enum no_relevant no_relevant, double *value, struct error *error);

/* Returns the number of queries without a positive label. */
size_t metric_count_no_relevant(const struct matrix *documents);

#endif
