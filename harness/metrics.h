/* How good scores are: NDCG, MAP, accuracy and RMSE. docs/metrics.md states every convention. */
#ifndef HARNESS_METRICS_H
#define HARNESS_METRICS_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

enum metric_kind {
    METRIC_NDCG,     /* gain 2^label - 1, discount 1 / log2(1 + rank) (Burges) */
    METRIC_MAP,      /* a document with a label over 0 is relevant */
    METRIC_ACCURACY, /* several outputs: the largest; one: is the score over the threshold? */
    METRIC_RMSE
};

struct metric {
    enum metric_kind kind;
    size_t depth;     /* NDCG: ranks that count; SIZE_MAX: all */
    double threshold; /* accuracy of one output */
};

/* What the NDCG and the average precision of a query without relevant documents is. */
enum no_relevant {
    NO_RELEVANT_ZERO, /* as LETOR's and MSLR's scripts, and XGBoost's "ndcg@10-" */
    NO_RELEVANT_ONE,  /* as XGBoost's "ndcg@10", and LightGBM */
    NO_RELEVANT_SKIP  /* not in the mean */
};

/* Documents with labels (and queries, where the metric needs them), and their scores. */
struct judged {
    const struct matrix *documents;
    const double *scores; /* [n_rows * n_outputs], never NaN */
    uint32_t n_outputs;
};

/* "ndcg@10", "ndcg", "map", "accuracy", "accuracy@0.5", "rmse". */
enum status metric_parse(const char *text, struct metric *metric, struct error *error);

/* NDCG or average precision of each query: values[n_queries], NaN for those that are skipped.
 * Ties of scores are ranked in the order of the documents. */
enum status metric_of_queries(const struct metric *metric, const struct judged *judged,
                              enum no_relevant no_relevant, double *values, struct error *error);

/* Any metric; of queries the mean. Refuses what it cannot judge: no labels, no queries, labels
 * that mean nothing to the metric, no query left. */
enum status metric_compute(const struct metric *metric, const struct judged *judged,
                           enum no_relevant no_relevant, double *value, struct error *error);

/* Queries in which no label is over 0. */
size_t metric_count_no_relevant(const struct matrix *documents);

#endif
