/* Measures the quality of scores: NDCG, MAP, accuracy and RMSE. docs/training.md defines them
 * exactly. */
#ifndef HARNESS_QUALITY_METRICS_H
#define HARNESS_QUALITY_METRICS_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

enum metric_kind {
    METRIC_NDCG, /* gain 2^label - 1, discount 1 / log2(1 + rank) (Burges) */
    METRIC_MAP,  /* a document with a positive label is relevant */
    /* With several outputs, the one with the largest score is the predicted class. With a single
     * output, class 1 is predicted if the score exceeds the threshold. */
    METRIC_ACCURACY,
    METRIC_RMSE
};

struct metric {
    enum metric_kind kind;
    size_t depth;     /* NDCG: how many ranks count; SIZE_MAX: all */
    double threshold; /* accuracy with a single output */
};

/* The value of NDCG or average precision for a query without relevant documents. */
enum no_relevant {
    NO_RELEVANT_ZERO, /* like the scripts of LETOR and MSLR, and XGBoost's "ndcg@10-" */
    NO_RELEVANT_ONE,  /* like XGBoost's "ndcg@10" and LightGBM */
    NO_RELEVANT_SKIP  /* the query is left out of the mean */
};

/* Scored documents. They must have labels, and queries if the metric needs queries. */
struct scored_documents {
    const struct matrix *documents;
    const double *scores; /* [n_rows * n_outputs], never NaN */
    uint32_t n_outputs;
};

/* Parses "ndcg@10", "ndcg", "map", "accuracy", "accuracy@0.5" or "rmse". */
enum status metric_parse(const char *text, struct metric *metric, struct error *error);

/* Computes NDCG or average precision for each query into values[n_queries]. The value of a skipped
 * query is NaN. Documents with equal scores are ranked in their given order. */
enum status metric_of_queries(const struct metric *metric, const struct scored_documents *scored,
                              enum no_relevant no_relevant, double *values, struct error *error);

/* Computes any metric. NDCG and average precision are averaged over queries. Fails if labels or
 * queries are missing, if the metric is not defined for a label, or if all queries are skipped. */
enum status metric_compute(const struct metric *metric, const struct scored_documents *scored,
                           enum no_relevant no_relevant, double *value, struct error *error);

/* Returns the output with the largest score. If several outputs share it, returns the first. */
uint32_t metric_largest_output(const double *scores, uint32_t n);

/* Returns the number of queries in which no document has a positive label. */
size_t metric_count_no_relevant(const struct matrix *documents);

#endif
