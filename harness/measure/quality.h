/* The quality of a trained model: one line of a run's quality.jsonl. docs/rows.md documents the
 * schema. Every change of the schema changes QUALITY_SCHEMA. */
#ifndef HARNESS_MEASURE_QUALITY_H
#define HARNESS_MEASURE_QUALITY_H

#include "base/status.h"
#include "harness/measure/trained.h"
#include "harness/rows/row.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define QUALITY_SCHEMA 1

/* NDCG over the first 1, 3, 5, 10 and 20 ranks, and over all ranks. */
enum { QUALITY_RANKS = 6 };
extern const char *const quality_ranks[QUALITY_RANKS]; /* "1", "3", "5", "10", "20", "inf" */

struct quality_part {
    uint64_t rows, queries;
};

struct quality {
    struct workload workload; /* as requested; workload.trial is the fold */

    /* the model's note, such as "trained on a synthetic stand-in ..."; or "" */
    char note[ENSEMBLE_NOTE_SIZE];
    uint32_t features;
    struct quality_part train, validation, test;
    uint32_t trees; /* trees of the model */
    double mean_tree_depth;
    double ndcg[QUALITY_RANKS]; /* on the test documents: means over queries */
    double *of_queries;         /* [QUALITY_RANKS * test.queries], rank by rank; owned */
    double examined;            /* see quality_share_examined */
};

/* Measures a model on the test documents. A query without relevant documents has NDCG 0
 * (docs/metrics.md). Freed by quality_free. */
enum status quality_measure(const struct workload *workload, const struct trained *trained,
                            struct quality *quality, struct error *error);
void quality_free(struct quality *quality);

/* Returns the share of all features that a document's paths through the trees test, averaged over
 * the documents (asadi2014, section 6). NaN if memory runs out. */
double quality_share_examined(const struct ensemble *ensemble, const struct matrix *documents);

cJSON *quality_to_json(const struct quality *quality); /* NULL if memory runs out */

/* `name` names the line in errors. */
enum status quality_from_json(const char *name, const cJSON *json, struct quality *quality,
                              struct error *error);

#endif
