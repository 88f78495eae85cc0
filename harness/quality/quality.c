#include "harness/quality/quality.h"

#include "harness/quality/metrics.h"
#include "harness/quality/scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const quality_ranks[QUALITY_RANKS] = {"1", "3", "5", "10", "20", "inf"};
static const size_t depths[QUALITY_RANKS] = {1, 3, 5, 10, 20, SIZE_MAX};

/* --- features --------------------------------------------------------------------------------- */

/* Walks tree t with the document and counts the features tested for the first time, that is, in no
 * earlier tree and not before in this one. `mark` identifies the document. */
static size_t count_tested(const struct ensemble *e, uint32_t t, const float *document,
                           size_t *seen_by, size_t mark) {
    if (ensemble_tree_nodes(e, t) == 0)
        return 0;
    size_t first = e->tree_node[t], count = 0;
    for (int32_t at = 0; at >= 0;) {
        size_t node = first + (size_t)at;
        uint32_t feature = e->feature[node];
        count += seen_by[feature] != mark;
        seen_by[feature] = mark;
        at = ensemble_goes_left(e, node, document[feature]) ? e->left[node] : e->right[node];
    }
    return count;
}

double quality_share_examined(const struct ensemble *ensemble, const struct matrix *documents) {
    size_t *seen_by = calloc(ensemble->n_features, sizeof *seen_by), count = 0;
    if (!seen_by)
        return NAN;
    for (size_t row = 0; row < documents->n_rows; row++)
        for (uint32_t t = 0; t < ensemble->n_trees; t++)
            count += count_tested(ensemble, t, matrix_row(documents, row), seen_by, row + 1);
    free(seen_by);
    return (double)count / (double)documents->n_rows / documents->n_features;
}

/* --- NDCG ------------------------------------------------------------------------------------- */

static enum status compute_ndcg(const struct scored_documents *scored, struct quality *quality,
                                struct error *error) {
    size_t n = scored->documents->n_queries;
    quality->of_queries = malloc(QUALITY_RANKS * n * sizeof *quality->of_queries);
    if (!quality->of_queries)
        return error_memory(error, "the NDCG of queries");
    for (size_t i = 0; i < QUALITY_RANKS; i++) {
        const struct metric metric = {.kind = METRIC_NDCG, .depth = depths[i]};
        double *values = quality->of_queries + i * n;
        enum status status = metric_of_queries(&metric, scored, NO_RELEVANT_ZERO, values, error);
        if (status)
            return status;
        quality->ndcg[i] = stats_mean(values, n);
    }
    return STATUS_OK;
}

static struct quality_part measure_part(const struct matrix *part) {
    return (struct quality_part){part->n_rows, part->n_queries};
}

static void describe(const struct trained *trained, struct quality *quality) {
    const struct fold *fold = &trained->fold;
    snprintf(quality->note, sizeof quality->note, "%s", trained->ensemble->note);
    quality->features = fold->test->n_features;
    quality->train = measure_part(fold->train);
    quality->validation = measure_part(fold->validation);
    quality->test = measure_part(fold->test);
    quality->trees = trained->ensemble->n_trees;
    quality->mean_tree_depth = ensemble_mean_depth(trained->ensemble);
}

enum status quality_measure(const struct workload *workload, const struct trained *trained,
                            struct quality *quality, struct error *error) {
    const struct matrix *test = trained->fold.test;
    struct scores scores;
    *quality = (struct quality){.workload = *workload};
    enum status status =
        scores_make(trained->ensemble, "struct-plus", &(const struct plan){.order = ORDER_DS}, test,
                    NULL, &scores, error);
    if (status)
        return status;
    describe(trained, quality);
    quality->examined = quality_share_examined(trained->ensemble, test);
    status =
        isnan(quality->examined)
            ? error_memory(error, "features")
            : compute_ndcg(&(const struct scored_documents){test, scores.values, scores.n_outputs},
                           quality, error);
    scores_free(&scores);
    if (status)
        quality_free(quality);
    return status;
}

void quality_free(struct quality *quality) {
    free(quality->of_queries);
    quality->of_queries = NULL;
}
