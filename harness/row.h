/* The row: one implementation in one cell. docs/rows.md documents the schema; a change of it
 * changes ROW_SCHEMA. */
#ifndef HARNESS_ROW_H
#define HARNESS_ROW_H

#include "base/status.h"
#include "harness/counters.h"
#include "harness/stats.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_SCHEMA 2

enum row_status {
    ROW_OK,
    ROW_WRONG,       /* scores differ from the reference's: no time */
    ROW_UNSUPPORTED, /* the implementation refused the ensemble, or the CPU lacks a feature */
    ROW_FAILED       /* anything else that went wrong */
};
extern const char *const row_status_names[4]; /* "ok", "wrong", "unsupported", "failed" */

enum { ROW_NAME_SIZE = 64, ROW_PATH_SIZE = 512, ROW_REASON_SIZE = 256, ROW_NOTE_SIZE = 328 };

/* What is scored, as it was asked for. The kinds:
 *   "synthetic"  a balanced random tree of `depth` over `features`, and documents for it
 *   "trained"    a model trained on a data set, and test documents, of its fold `trial`
 *   "grown"      random trees grown on documents of a data set (synth/grown.h), and these documents
 *   "files"      what a user gave
 * Measuring puts what there is in place of depth, features and documents. */
struct workload {
    char kind[16];
    char model[ROW_PATH_SIZE]; /* name of the file; "" but for files */
    char data[ROW_PATH_SIZE];  /* name of the file or of the data set; "" for synthetic */
    uint32_t depth;            /* of the deepest tree */
    uint32_t features;
    uint32_t trees;      /* trained with patience: at most so many */
    uint32_t max_leaves; /* of a tree; 0: not limited */
    uint32_t patience;   /* trained: stopped after so many trees without a better validation NDCG;
                            0: not stopped */
    uint64_t documents;  /* trained and grown: at most so many, 0: all */
    uint32_t trial;      /* fresh trees and documents in each, from seed and trial; or the fold */
    uint64_t seed;
};

struct sample_set { /* nanoseconds per document, one per round */
    double *wall, *cpu;
    size_t count;
};

struct row {
    /* asked */
    char cell[ROW_NAME_SIZE]; /* key: 16 hex digits, a hash of the workload and what is measured on
                                 it */
    uint32_t cell_rows;       /* rows that make this cell complete */
    char artefacts[ROW_REASON_SIZE]; /* names of the artefacts that asked, separated by spaces */
    struct workload workload;
    char impl[ROW_NAME_SIZE], params[ROW_NAME_SIZE]; /* "vpred", "v=8" */
    char order[4];                                   /* "DS" or "SD" */
    uint64_t doc_block, unit_block;                  /* 0: all */
    uint32_t threads;
    char parallel[12]; /* what threads share: "documents", "trees", "both"; "": not about threads */
    uint32_t lanes;

    /* came out */
    char note[ROW_NOTE_SIZE]; /* what model or documents are, where they are no real ones; or "" */
    uint32_t model_trees;     /* that the model has */
    double mean_tree_depth;   /* mean over trees of the longest path; NaN unknown */
    enum row_status status;
    char reason[ROW_REASON_SIZE];    /* "" when ok */
    char clock[8];                   /* which of the two the statistics are of: "cpu" or "wall" */
    uint64_t repetitions;            /* passes over the documents in one sample */
    struct sample_set samples;       /* empty unless ok */
    double median, mean;             /* of samples of the chosen clock; NaN (null) unless ok */
    struct interval median_interval; /* bootstrap */
    uint32_t outliers;
    uint64_t built_bytes;
    double mean_path;  /* decisions per document and tree, on this cell's documents; NaN unknown */
    double left_share; /* share of decisions that went left: the branch bias; NaN unknown */
    struct counts counts; /* of one pass over counts.documents, whatever the repetitions */
};

void row_init(struct row *row); /* zeros and NaNs */
void row_free(struct row *row); /* the samples */

/* "vpred,v=8" or "struct": the name under which reports and claims know the row's variant. */
void row_variant(const struct row *row, char *text, size_t size);

/* The samples that the statistics are of. */
const double *row_reported_samples(const struct row *row);

cJSON *row_to_json(const struct row *row); /* NULL: no memory */
enum status row_from_json(const char *name, const cJSON *json, struct row *row,
                          struct error *error);

#endif
