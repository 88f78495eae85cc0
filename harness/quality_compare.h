/* What a run's models say about the points of an artefact: the shared ground of its tables and
 * claims. */
#ifndef HARNESS_QUALITY_COMPARE_H
#define HARNESS_QUALITY_COMPARE_H

#include "harness/artefact.h"
#include "harness/quality_store.h"
#include "harness/wilcoxon.h"

enum { QUALITY_FOLDS_MAX = 64 }; /* no scale has more trials */

/* The models of one point, by fold. */
struct quality_folds {
    const struct quality *list[QUALITY_FOLDS_MAX];
    size_t count;
};
struct quality_folds quality_at(const struct quality_list *qualities,
                                const struct artefact *artefact, const struct panel *panel,
                                const struct point *point);

/* Mean over the folds, half the width of its 95 % t interval, and the variance over the folds; both
 * NaN below three folds, for those of two are noise. */
struct quality_mean {
    double mean, half_width, variance;
};
struct quality_mean quality_mean_of(const struct quality_folds *folds,
                                    double (*value)(const struct quality *));
struct quality_mean quality_mean_ndcg(const struct quality_folds *folds, size_t rank);

size_t quality_count_queries(const struct quality_folds *folds); /* to test with, in all folds */

/* Wilcoxon's test of NDCG, b less a: over the test queries of all folds that both have (p NaN where
 * there are none). */
struct wilcoxon quality_test(const struct quality_folds *a, const struct quality_folds *b,
                             size_t rank);

#define QUALITY_SIGNIFICANT 0.05 /* as asadi2014 */

#endif
