#include "harness/judge/quality_compare.h"

#include "harness/artefacts/grid.h"
#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

struct quality_folds quality_at(const struct json_list *qualities, const struct artefact *artefact,
                                const struct panel *panel, const struct point *point) {
    struct quality_folds folds = {.count = 0};
    uint32_t models = panel->trials * panel->seeds;
    for (uint32_t i = 0; i < models && i < PANEL_MODELS_MAX; i++) {
        struct workload workload =
            grid_model(artefact, panel, point, i / panel->seeds, i % panel->seeds);
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
    double values[PANEL_MODELS_MAX];
    for (size_t i = 0; i < folds->count; i++)
        values[i] = value(folds->list[i]);
    return mean_of(values, folds->count);
}

struct quality_mean quality_mean_ndcg(const struct quality_folds *folds, size_t rank) {
    double values[PANEL_MODELS_MAX];
    for (size_t i = 0; i < folds->count; i++)
        values[i] = folds->list[i]->ndcg[rank];
    return mean_of(values, folds->count);
}

/* --- folds ----------------------------------------------------------------------------------- */

/* The models of one fold. */
struct fold_models {
    const struct quality *const *list;
    size_t count;
};

static struct fold_models fold_from(const struct quality_folds *folds, size_t first) {
    struct fold_models fold = {&folds->list[first], 0};
    while (first + fold.count < folds->count &&
           fold.list[fold.count]->workload.trial == fold.list[0]->workload.trial)
        fold.count++;
    return fold;
}

/* Returns the models in `folds` of the fold that `wanted` belongs to, or none. */
static struct fold_models same_fold(const struct quality_folds *folds,
                                    const struct quality *wanted) {
    for (size_t i = 0; i < folds->count; i++)
        if (folds->list[i]->workload.trial == wanted->workload.trial &&
            folds->list[i]->test.queries == wanted->test.queries)
            return fold_from(folds, i);
    return (struct fold_models){NULL, 0};
}

/* Counts the test queries without relevant documents. These have an NDCG of 0 over all ranks, while
 * all other queries have more. */
static size_t count_irrelevant(const struct quality *model) {
    size_t queries = (size_t)model->test.queries, count = 0;
    for (size_t q = 0; q < queries; q++)
        count += model->of_queries[(QUALITY_RANKS - 1) * queries + q] == 0;
    return count;
}

struct quality_counts quality_count(const struct quality_folds *folds) {
    struct quality_counts counts = {0, 0, 0};
    for (size_t i = 0; i < folds->count; i += fold_from(folds, i).count) {
        counts.folds++;
        counts.queries += (size_t)folds->list[i]->test.queries;
        counts.irrelevant += count_irrelevant(folds->list[i]);
    }
    return counts;
}

struct quality_mean quality_mean_relevant(const struct quality_folds *folds, size_t rank) {
    double values[PANEL_MODELS_MAX];
    for (size_t i = 0; i < folds->count; i++) {
        const struct quality *model = folds->list[i];
        double queries = (double)model->test.queries;
        values[i] = model->ndcg[rank] * queries / (queries - (double)count_irrelevant(model));
    }
    return mean_of(values, folds->count);
}

/* --- pairs of queries ------------------------------------------------------------------------- */

/* Differences between means below this are rounding: the same numbers were added in another order.
 * The test must count such means as equal. */
#define DIFFERENCE_MIN 1e-12

static double mean_of_query(const struct fold_models *fold, size_t index) {
    double sum = 0;
    for (size_t i = 0; i < fold->count; i++)
        sum += fold->list[i]->of_queries[index];
    return sum / (double)fold->count;
}

struct wilcoxon quality_test(const struct quality_folds *a, const struct quality_folds *b,
                             size_t rank) {
    double *differences = malloc((quality_count(a).queries + 1) * sizeof *differences);
    size_t n = 0;
    for (size_t i = 0; differences && i < a->count; i += fold_from(a, i).count) {
        struct fold_models first = fold_from(a, i), second = same_fold(b, a->list[i]);
        size_t queries = second.count > 0 ? (size_t)a->list[i]->test.queries : 0;
        for (size_t q = 0; q < queries; q++) {
            double difference = mean_of_query(&second, rank * queries + q) -
                                mean_of_query(&first, rank * queries + q);
            differences[n++] = fabs(difference) < DIFFERENCE_MIN ? 0 : difference;
        }
    }
    struct wilcoxon test = n > 0 ? wilcoxon_test(differences, n) : (struct wilcoxon){.p = NAN};
    free(differences);
    return test;
}
