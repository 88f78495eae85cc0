/* A row holds the result of one implementation in one cell. docs/rows.md documents the schema.
 * Every change of the schema changes ROW_SCHEMA. */
#ifndef HARNESS_ROWS_ROW_H
#define HARNESS_ROWS_ROW_H

#include "base/status.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/stats.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_SCHEMA 2

enum row_status {
    ROW_OK,
    ROW_WRONG,       /* the scores differ from the reference's, so there is no time */
    ROW_UNSUPPORTED, /* the implementation rejected the ensemble, or the CPU lacks a feature */
    ROW_FAILED       /* another error */
};
extern const char *const row_status_names[4]; /* "ok", "wrong", "unsupported", "failed" */

enum { ROW_NAME_SIZE = 64, ROW_PATH_SIZE = 512, ROW_REASON_SIZE = 256, ROW_NOTE_SIZE = 328 };

/* The model and the documents to score, as requested. The kinds:
 *   "synthetic"  a balanced random tree of `depth` over `features`, and documents for it
 *   "trained"    a model trained on a data set, and test documents, both of fold `trial`
 *   "grown"      random trees grown on documents of a data set (synth/grown.h), and these documents
 *   "files"      files that a user gave
 * Measuring replaces depth, features and documents by the actual numbers. */
struct workload {
    char kind[16];
    char model[ROW_PATH_SIZE]; /* files: the model's file name; otherwise "" */
    char data[ROW_PATH_SIZE];  /* name of the file or of the data set; synthetic: "" */
    uint32_t depth;            /* depth of the deepest tree */
    uint32_t features;
    uint32_t trees;      /* number of trees; trained with patience: an upper limit */
    uint32_t max_leaves; /* per tree; 0: no limit */
    uint32_t patience;   /* trained: stop after this many trees without a better validation NDCG;
                            0: never stop early */
    uint64_t documents;  /* trained and grown: an upper limit; 0: all */
    uint32_t trial;      /* selects fresh trees and documents (with the seed), or the fold */
    uint64_t seed;
};

struct sample_set { /* nanoseconds per document, one per round */
    double *wall, *cpu;
    size_t count;
};

struct row {
    /* asked */
    /* the cell's key: 16 hex digits, a hash of the workload and of the variants measured on it */
    char cell[ROW_NAME_SIZE];
    uint32_t cell_rows; /* number of rows of this cell */
    /* names of the artefacts that need the cell, separated by spaces */
    char artefacts[ROW_REASON_SIZE];
    struct workload workload;
    char impl[ROW_NAME_SIZE], params[ROW_NAME_SIZE]; /* "vpred", "v=8" */
    char order[4];                                   /* the name of an enum order: "DS" */
    uint64_t doc_block, unit_block;                  /* 0: all */
    uint32_t threads;
    /* what threads share: "documents", "trees" or "both"; "" if threads are not varied */
    char parallel[12];
    uint32_t lanes;

    /* measured */
    /* describes a model or documents that are not real; "" if both are real */
    char note[ROW_NOTE_SIZE];
    uint32_t model_trees;   /* trees of the model */
    double mean_tree_depth; /* mean over trees of the longest path; NaN if unknown */
    enum row_status status;
    char reason[ROW_REASON_SIZE];    /* "" when ok */
    char clock[8];                   /* the clock of the statistics: "cpu" or "wall" */
    uint64_t repetitions;            /* passes over the documents per sample */
    struct sample_set samples;       /* empty unless ok */
    double median, mean;             /* of the samples of `clock`; NaN (null) unless ok */
    struct interval median_interval; /* bootstrap */
    uint32_t outliers;
    uint64_t built_bytes;
    double mean_path; /* decisions per document and tree on this cell's documents; NaN if unknown */
    double left_share;    /* share of decisions that went left; NaN if unknown */
    struct counts counts; /* counts of a single pass over counts.documents */
};

void row_init(struct row *row); /* sets zeros and NaNs */
void row_free(struct row *row); /* frees the samples */

/* Writes the variant's name as used in reports and claims: "vpred,v=8" or "struct". */
void row_variant(const struct row *row, char *text, size_t size);

/* Sets impl and params from a variant's name. */
void row_set_variant(struct row *row, const char *variant);

/* Returns the samples of `clock`, from which the statistics are computed. Owned by the row. */
const double *row_reported_samples(const struct row *row);

/* Returns the time of `numerator` divided by the time of `denominator`. Both rows must be of one
 * cell. Samples of the same round are paired. */
struct ratio row_paired_ratio(const struct row *numerator, const struct row *denominator);

cJSON *row_to_json(const struct row *row); /* returns NULL if memory runs out */

/* `name` names the row in errors. On failure *row is unchanged. */
enum status row_from_json(const char *name, const cJSON *json, struct row *row,
                          struct error *error);

#endif
