/* A row holds the result of one implementation in one cell. docs/rows.md documents the schema.
 * Change ROW_SCHEMA whenever the schema changes. */
#ifndef HARNESS_ROWS_ROW_H
#define HARNESS_ROWS_ROW_H

#include "base/files/record.h"
#include "base/status.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/resident.h"
#include "harness/instruments/stats.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_SCHEMA 7
#define ROW_SCHEMA_OLDEST 3 /* is still read */

enum row_status {
    ROW_OK,
    ROW_WRONG,       /* the scores differ from the reference's, so no time was measured */
    ROW_UNSUPPORTED, /* the implementation does not support the ensemble or the machine */
    ROW_FAILED       /* another error */
};
extern const char *const row_status_names[5]; /* "ok", "wrong", "unsupported", "failed"; NULL */

enum {
    ROW_NAME_SIZE = 64,
    ROW_PATH_SIZE = 512,
    ROW_REASON_SIZE = 256,
    ROW_NOTE_SIZE = 328,
    ROW_DEVICE_SIZE = 128
};

/* The model and the documents to score, as requested. The kinds:
 *   "synthetic"  a balanced random tree of `depth` over `features`, and documents for it
 *   "trained"    a model trained on a data set, and test documents, both of fold `trial`
 *   "boosted", "bagged", "repeated"
 *                the same, with the parameters and the many trees of other papers
 *                (harness/measure/trained.h)
 *   "grown"      random trees grown on documents of a data set (synth/grown.h), and these documents
 *   "random-forest", "extra-trees", "cart"
 *                a forest or a tree trained by this learner on a data set that has a recipe
 *                (datasets/recipes), of at most `depth` decisions per path, and its test documents
 *   "files"      files that a user gave
 * Measuring replaces depth, features and documents by the actual numbers, except the depth
 * of forests. */
struct workload {
    char kind[16];
    char model[ROW_PATH_SIZE]; /* files: the model's file name; otherwise "" */
    char data[ROW_PATH_SIZE];  /* name of the file or data set; synthetic: "" */
    uint32_t depth;            /* depth of the deepest tree; forests: the limit */
    uint32_t features;
    uint32_t trees;      /* number of trees; trained with patience: an upper limit */
    uint32_t max_leaves; /* per tree; 0: no limit */
    /* trained: stop after this many trees without a better validation NDCG; 0: never stop early */
    uint32_t patience;
    /* trained: score this number of documents, drawn with replacement from the test documents; 0:
     * score the test documents themselves */
    uint32_t resample;
    uint64_t documents; /* trained and grown: an upper limit; 0: all */
    /* trained: the fold; grown: the fold and (with the seed) the trees; synthetic: the tree and the
     * documents (with the seed) */
    uint32_t trial;
    uint64_t seed;
};

struct sample_set { /* nanoseconds per document, one per round */
    double *wall, *cpu;
    size_t count;
    /* Rounds of each placement (harness/instruments/stats.h). The last placement may have
     * fewer. 0: all rounds are of one placement. */
    uint32_t rounds;
};

struct row {
    /* asked */
    /* the cell's key: 16 hex digits, a hash of the workload and of the variants of the cell */
    char cell[ROW_NAME_SIZE];
    uint32_t cell_rows; /* number of rows of this cell */
    /* names of the artefacts that need the cell, separated by spaces */
    char artefacts[ROW_REASON_SIZE];
    struct workload workload;
    char impl[ROW_NAME_SIZE], params[ROW_NAME_SIZE]; /* "vpred", "v=8" */
    char order[8];                                   /* the name of an enum order: "DS" */
    uint64_t doc_block, unit_block;                  /* 0: all */
    uint32_t threads;
    /* what threads share: "documents", "trees" or "both"; "" if the cell is not about threads */
    char parallel[12];
    /* when threads that share trees add up their sums: "step", after every doc_block documents, or
     * "pass", at the end of a pass; "" if threads do not share trees */
    char barrier[8];
    char passes[8]; /* "cold": one pass after the caches were emptied; "": warm */
    uint32_t lanes;

    /* measured */
    /* describes a model or documents that are not real; "" if both are */
    char note[ROW_NOTE_SIZE];
    unsigned origin;        /* of model and documents: bits of base/origin.h */
    uint32_t model_trees;   /* number of trees of the model */
    double mean_tree_depth; /* mean over the trees of the tree's depth; NaN if unknown */
    enum row_status status;
    char reason[ROW_REASON_SIZE];    /* why there is no time; "" if the status is ok */
    char clock[8];                   /* the clock whose samples are summarised: "cpu" or "wall" */
    uint64_t repetitions;            /* number of passes over the documents in one sample */
    struct sample_set samples;       /* none unless the status is ok */
    double median, mean;             /* of the samples of `clock`; NaN unless the status is ok */
    struct interval median_interval; /* of the median, by placements_median_interval */
    uint32_t outliers;
    uint32_t builds; /* how often the scorer was built for these samples; 0: built before */
    double build_ns; /* wall time of the first build; NaN: not built for these samples */
    uint64_t built_bytes;
    struct resident resident; /* of the first build, if the request asks for it; not stored */
    /* the GPU, and the mean times on it per document: kernels that score, kernels that prepare
     * documents, copies. "", 0 and NaN without a device. */
    char device[ROW_DEVICE_SIZE], device_driver[ROW_DEVICE_SIZE];
    uint32_t device_units;
    uint64_t device_l2_bytes;
    double device_scoring_ns, device_preparing_ns, device_copying_ns;
    double mean_path; /* decisions per tree and document, on the cell's documents; NaN if unknown */
    double left_share;    /* share of these decisions that went left; NaN if unknown */
    double false_nodes;   /* false nodes per tree and document, on them; NaN if unknown */
    struct counts counts; /* events of one pass over counts.documents documents */
};

void row_init(struct row *row); /* sets zeros and NaNs */
void row_free(struct row *row); /* frees the samples */

/* Sets the status and the reason, which is cut at its size. */
void row_fail(struct row *row, enum row_status status, const char *reason);

/* Returns the variant's name as reports and claims use it: "vpred,v=8" or "struct". */
struct row_variant {
    char text[2 * ROW_NAME_SIZE];
};
struct row_variant row_variant(const struct row *row);

/* Sets the row's impl and params from the name of a variant. */
void row_set_variant(struct row *row, const char *variant);

/* Returns the samples of the row's `clock`, which the statistics summarise. The row owns them. */
const double *row_reported_samples(const struct row *row);

/* Returns the samples of the row's `clock`, with their placements. */
struct placed_samples row_placed_samples(const struct row *row);

/* Returns the time of `numerator` divided by the time of `denominator`. Samples of the same round
 * are paired, so both rows must belong to the same cell. The interval has 95 % confidence. */
struct ratio row_paired_ratio(const struct row *numerator, const struct row *denominator);

/* The fields of a row: their names, types, meanings, and the first schema that has them. */
extern const struct record row_record;

cJSON *row_to_json(const struct row *row); /* returns NULL if memory runs out */

/* `name` names the row in errors. On failure, *row does not change. */
enum status row_from_json(const char *name, const cJSON *json, struct row *row,
                          struct error *error);

/* Write rows as CSV (RFC 4180), one line per row. Columns have the order of the JSON's keys. The
 * column "samples" has only the number of samples, and every counter has its own column. null
 * becomes an empty field. */
void row_csv_write_header(FILE *stream);
void row_csv_write(const struct row *row, FILE *stream);

#endif
