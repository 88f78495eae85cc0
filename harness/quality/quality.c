#include "harness/quality/quality.h"

#include "harness/quality/metrics.h"
#include "harness/quality/scores.h"
#include "harness/rows/point.h"
#include "impls/scorer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const quality_ranks[QUALITY_RANKS + 1] = {"1", "3", "5", "10", "20", "inf", NULL};
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

/* --- classes ---------------------------------------------------------------------------------- */

/* The class that a forest predicts. */
static uint32_t predict(const struct scores *scores, size_t row) {
    const double *of_classes = scores->values + row * scores->n_outputs;
    return scores->n_outputs == 1 ? of_classes[0] > 0
                                  : metric_largest_output(of_classes, scores->n_outputs);
}

static enum status make_scores(const struct ensemble *ensemble, const struct matrix *documents,
                               struct scores *scores, struct error *error) {
    return scores_make(ensemble, impl_with_role(IMPL_PLAIN_WALK)->name,
                       &(const struct plan){.order = ORDER_DS}, documents, NULL, scores, error);
}

/* Sets *shares to the model's trees with leaves that hold shares. Trains them again if the model
 * was read from a file, because votes do not tell the shares. */
static enum status get_shares(struct trained *trained, const struct workload *workload,
                              struct error *error) {
    struct ensemble *votes = NULL;
    if (trained->shares)
        return STATUS_OK;
    enum status status = forest_train(workload, &trained->fold, &votes, &trained->shares, error);
    ensemble_free(votes);
    return status;
}

/* Counts the test documents that each kind of prediction gets right. */
static void count_classes(const struct matrix *test, const struct scores *votes,
                          const struct scores *shares, struct quality *quality) {
    for (size_t row = 0; row < test->n_rows; row++) {
        bool by_votes = (float)predict(votes, row) == test->labels[row],
             by_shares = (float)predict(shares, row) == test->labels[row];
        quality->right += by_votes;
        quality->votes_only += by_votes && !by_shares;
        quality->shares_only += by_shares && !by_votes;
    }
}

/* Compares the predictions by votes with those by added shares of the same trees. A single tree
 * predicts the same by both. */
static enum status measure_classes(struct trained *trained, const struct scores *votes,
                                   struct quality *quality, struct error *error) {
    const struct matrix *test = trained->fold.test;
    struct scores shares = {.values = NULL};
    if (trained->ensemble->n_trees == 1) {
        count_classes(test, votes, votes, quality);
        return STATUS_OK;
    }
    enum status status = get_shares(trained, &quality->workload, error);
    if (!status)
        status = make_scores(trained->shares, test, &shares, error);
    if (!status)
        count_classes(test, votes, &shares, quality);
    scores_free(&shares);
    return status;
}

/* --- a model ---------------------------------------------------------------------------------- */

static struct quality_part measure_part(const struct matrix *part) {
    return part ? (struct quality_part){part->n_rows, part->n_queries}
                : (struct quality_part){0, 0};
}

static void describe(const struct trained *trained, struct quality *quality) {
    const struct fold *fold = &trained->fold;
    snprintf(quality->note, sizeof quality->note, "%s", trained->ensemble->note);
    quality->origin = trained->ensemble->origin;
    quality->features = fold->test->n_features;
    quality->train = measure_part(fold->train);
    quality->validation = measure_part(fold->validation);
    quality->test = measure_part(fold->test);
    quality->trees = trained->ensemble->n_trees;
    quality->mean_tree_depth = ensemble_mean_depth(trained->ensemble);
}

static enum status measure_ranking(const struct trained *trained, const struct scores *scores,
                                   struct quality *quality, struct error *error) {
    const struct matrix *test = trained->fold.test;
    quality->examined = quality_share_examined(trained->ensemble, test);
    return isnan(quality->examined)
               ? error_memory(error, "features")
               : compute_ndcg(
                     &(const struct scored_documents){test, scores->values, scores->n_outputs},
                     quality, error);
}

enum status quality_measure(const struct workload *workload, struct trained *trained,
                            struct quality *quality, struct error *error) {
    struct scores scores;
    *quality = (struct quality){.workload = *workload};
    enum status status = make_scores(trained->ensemble, trained->fold.test, &scores, error);
    if (status)
        return status;
    describe(trained, quality);
    status = kind_is_forest(workload->kind) ? measure_classes(trained, &scores, quality, error)
                                            : measure_ranking(trained, &scores, quality, error);
    scores_free(&scores);
    if (status)
        quality_free(quality);
    return status;
}

void quality_free(struct quality *quality) {
    free(quality->of_queries);
    quality->of_queries = NULL;
}
