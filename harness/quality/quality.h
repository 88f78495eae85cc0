/* The quality of a trained model, which is one line of a run's quality.jsonl. docs/rows.md
 * documents the schema. Change QUALITY_SCHEMA whenever the schema changes. */
#ifndef HARNESS_QUALITY_QUALITY_H
#define HARNESS_QUALITY_QUALITY_H

#include "base/status.h"
#include "harness/measure/trained.h"
#include "harness/measure/workload.h"
#include "harness/rows/lines.h"
#include "harness/rows/row.h"

#include <stdint.h>

#define QUALITY_SCHEMA 2

/* NDCG is computed for the first 1, 3, 5, 10 and 20 ranks, and for all ranks. */
enum { QUALITY_RANKS = 6 };
/* "1", "3", "5", "10", "20", "inf", NULL */
extern const char *const quality_ranks[QUALITY_RANKS + 1];

struct quality_part {
    uint64_t rows, queries;
};

struct quality {
    struct workload workload; /* as requested; workload.trial is the fold */

    /* the model's note, such as "trained on a synthetic stand-in ...", or "" */
    char note[ENSEMBLE_NOTE_SIZE];
    unsigned origin; /* the model's: bits of base/origin.h */
    uint32_t features;
    struct quality_part train, validation, test;
    uint32_t trees; /* number of trees of the model */
    double mean_tree_depth;
    double ndcg[QUALITY_RANKS]; /* means over the queries of the test documents */
    double *of_queries;         /* [QUALITY_RANKS][test.queries] NDCG of each query; owned */
    double examined;            /* result of quality_share_examined */

    /* Forests only, which have no validation part, no queries, no NDCG and no `examined`. A class
     * is predicted by most votes. `right` counts the test documents whose class is predicted. The
     * others count documents that only votes, or only added shares of the same trees, predict. */
    uint64_t right, votes_only, shares_only;
};

/* Measures a model on the test documents: NDCG, or for forests the predicted classes. The NDCG of a
 * query without relevant documents is 0 (docs/training.md). Trains the shares of a forest if
 * `trained` lacks them. Free the result with quality_free. */
enum status quality_measure(const struct workload *workload, struct trained *trained,
                            struct quality *quality, struct error *error);
void quality_free(struct quality *quality);

/* Returns the share of all features that scoring a document tests, averaged over the documents
 * (asadi2014, section 6). Returns NaN if memory runs out. */
double quality_share_examined(const struct ensemble *ensemble, const struct matrix *documents);

/* The fields of a line. */
extern const struct record quality_record;

extern const struct json_lines quality_lines; /* items are struct quality */

/* Returns the quality of the workload's model, or NULL if it is not in the list. */
const struct quality *quality_find(const struct json_list *qualities,
                                   const struct workload *workload);

#endif
