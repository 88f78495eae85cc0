#include "harness/judge/quality_compare.h"

#include "harness/artefacts/grid.h"
#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

struct quality_folds quality_at(const struct quality_list *qualities,
                                const struct artefact *artefact, const struct panel *panel,
                                const struct point *point) {
    struct quality_folds folds = {.count = 0};
    for (uint32_t fold = 0; fold < panel->trials && fold < QUALITY_FOLDS_MAX; fold++) {
        struct workload workload = grid_workload(artefact, panel, point, fold);
        const struct quality *found = quality_find(qualities, &workload);
        if (found)
            folds.list[folds.count++] = found;
    }
    return folds;
}

static struct quality_mean mean_of(const double *values, size_t n) {
    struct quality_mean mean = {stats_mean(values, n), NAN, NAN};
    if (n < 3)
        return mean;
    struct interval interval = stats_t_interval(values, n);
    double deviation = stats_deviation(values, n);
    mean.half_width = (interval.high - interval.low) / 2;
    mean.variance = deviation * deviation;
    return mean;
}

struct quality_mean quality_mean_of(const struct quality_folds *folds,
                                    double (*value)(const struct quality *)) {
    double values[QUALITY_FOLDS_MAX];
    for (size_t i = 0; i < folds->count; i++)
        values[i] = value(folds->list[i]);
    return mean_of(values, folds->count);
}

struct quality_mean quality_mean_ndcg(const struct quality_folds *folds, size_t rank) {
    double values[QUALITY_FOLDS_MAX];
    for (size_t i = 0; i < folds->count; i++)
        values[i] = folds->list[i]->ndcg[rank];
    return mean_of(values, folds->count);
}

/* --- pairs of queries ------------------------------------------------------------------------- */

static const struct quality *same_fold(const struct quality_folds *folds,
                                       const struct quality *wanted) {
    for (size_t i = 0; i < folds->count; i++)
        if (folds->list[i]->workload.trial == wanted->workload.trial &&
            folds->list[i]->test.queries == wanted->test.queries)
            return folds->list[i];
    return NULL;
}

size_t quality_count_queries(const struct quality_folds *folds) {
    size_t count = 0;
    for (size_t i = 0; i < folds->count; i++)
        count += (size_t)folds->list[i]->test.queries;
    return count;
}

struct wilcoxon quality_test(const struct quality_folds *a, const struct quality_folds *b,
                             size_t rank) {
    double *differences = malloc((quality_count_queries(a) + 1) * sizeof *differences);
    size_t n = 0;
    for (size_t i = 0; differences && i < a->count; i++) {
        const struct quality *first = a->list[i], *second = same_fold(b, first);
        size_t queries = second ? (size_t)first->test.queries : 0;
        for (size_t q = 0; q < queries; q++)
            differences[n++] =
                second->of_queries[rank * queries + q] - first->of_queries[rank * queries + q];
    }
    struct wilcoxon test = n > 0 ? wilcoxon_test(differences, n) : (struct wilcoxon){.p = NAN};
    free(differences);
    return test;
}
