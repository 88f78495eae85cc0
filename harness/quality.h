/* How good a trained model is: one line of a run's quality.jsonl. docs/rows.md documents the
 * schema; a change of it changes QUALITY_SCHEMA. */
#ifndef HARNESS_QUALITY_H
#define HARNESS_QUALITY_H

#include "base/status.h"
#include "harness/row.h"
#include "harness/trained.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define QUALITY_SCHEMA 1

/* NDCG over the first 1, 3, 5, 10, 20 ranks, and over all. */
enum { QUALITY_RANKS = 6 };
extern const char *const quality_ranks[QUALITY_RANKS]; /* "1", "3", "5", "10", "20", "inf" */

struct quality_part {
    uint64_t rows, queries;
};

struct quality {
    struct workload workload; /* as it was asked for; the trial is the fold */

    char note[ENSEMBLE_NOTE_SIZE]; /* of the model: "trained on a synthetic stand-in ..."; or "" */
    uint32_t features;
    struct quality_part train, validation, test;
    uint32_t trees; /* that the model has */
    double mean_tree_depth;
    double ndcg[QUALITY_RANKS]; /* of the test documents: means over queries */
    double *of_queries;         /* [QUALITY_RANKS * test.queries], rank by rank */
    double examined;            /* see quality_share_examined */
};

/* Scores the test documents. A query without relevant documents has NDCG 0 (docs/metrics.md). */
enum status quality_measure(const struct workload *workload, const struct trained *trained,
                            struct quality *quality, struct error *error);
void quality_free(struct quality *quality);

/* Of the documents' features the share that a document's paths through all trees test; mean over
 * the documents (asadi2014, section 6). NaN without memory. */
double quality_share_examined(const struct ensemble *ensemble, const struct matrix *documents);

/* Mean over the trees of the decisions on the longest path. */
double quality_mean_tree_depth(const struct ensemble *ensemble);

cJSON *quality_to_json(const struct quality *quality); /* NULL: no memory */
enum status quality_from_json(const char *name, const cJSON *json, struct quality *quality,
                              struct error *error);

#endif
