/* Summarises the quality of a run's models at the points of an artefact. Used by tables and
 * claims. */
#ifndef HARNESS_JUDGE_QUALITY_COMPARE_H
#define HARNESS_JUDGE_QUALITY_COMPARE_H

#include "harness/artefacts/artefact.h"
#include "harness/instruments/rank_tests.h"
#include "harness/quality/quality.h"

/* The models of one point. Models of the same fold are adjacent and differ in their seeds. */
struct quality_folds {
    const struct quality *list[PANEL_MODELS_MAX];
    size_t count;
};
struct quality_folds quality_at(const struct json_list *qualities, const struct artefact *artefact,
                                const struct panel *panel, const struct point *point);

/* The mean over the models of all folds, half the width of its 95 % t interval, and the variance
 * over the models. With fewer than three models, the half width and the variance would be noise, so
 * they are NaN. */
struct quality_mean {
    double mean, half_width, variance;
};
struct quality_mean quality_mean_of(const struct quality_folds *folds,
                                    double (*value)(const struct quality *));
struct quality_mean quality_mean_ndcg(const struct quality_folds *folds, size_t rank);

/* Like quality_mean_ndcg, but leaves out the queries without relevant documents. */
struct quality_mean quality_mean_relevant(const struct quality_folds *folds, size_t rank);

/* The number of folds that have a model, the number of test queries in these folds, and the number
 * of these queries that have no relevant documents. */
struct quality_counts {
    size_t folds, queries, irrelevant;
};
struct quality_counts quality_count(const struct quality_folds *folds);

/* Tests whether the models of b have another NDCG than those of a, by Wilcoxon's test over test
 * queries. The NDCG of a query is its mean over the models of the fold. Uses the folds that a and b
 * share. `rank` is an index into quality_ranks. p is NaN if no folds are shared. */
struct wilcoxon quality_test(const struct quality_folds *a, const struct quality_folds *b,
                             size_t rank);

#define QUALITY_SIGNIFICANT 0.05 /* the level of asadi2014 */

#endif
