/* Searches for the fastest order and blocks (harness/caches/search.h) by measuring, and reports
 * them: what `treebench blocking` does for one model, and an artefact with "measure": "blocking" at
 * each of its points. */
#ifndef HARNESS_TUNING_BLOCKING_H
#define HARNESS_TUNING_BLOCKING_H

#include "base/note.h"
#include "datasets/matrix.h"
#include "harness/caches/predict.h"
#include "harness/caches/search.h"
#include "harness/instruments/progress.h"
#include "harness/judge/claim_result.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

/* --- searches: blocking_bench.c --------------------------------------------------------------- */

struct blocking_request {
    const struct ensemble *ensemble;
    const char *spec;               /* "struct-plus" */
    const struct matrix *documents; /* twice n_docs: n documents choose, and n others confirm */
    size_t n_docs;
    uint32_t rounds;
    bool measures_caches;                /* false: sizes as reported, typical latencies */
    bool is_exhaustive;                  /* also searches a dense grid */
    struct candidate_request candidates; /* without `standard` */
    struct progress *progress;           /* may be NULL */
    note_function *note;                 /* may be NULL */
};

struct blocking_result {
    const struct blocking_request *request;
    struct blocking_problem problem;
    struct blocking_search search;
    double search_seconds; /* CPU time */
    bool has_fit;
    /* t0 + t1 * T, fitted to the candidates' times; the correlation with the standard miss rates */
    struct cost_fit fit, standard_fit;
    struct blocking_reference reference; /* if the exhaustive search was asked for */
    double reference_seconds;
};

/* Describes the machine: result->problem.machine. */
enum status blocking_run_machine(const struct blocking_request *request,
                                 struct blocking_result *result, struct error *error);

/* Measures orders and blocks. All of them use the same scorer, so that they differ in nothing but
 * the sequence of visits. */
struct blocking_bench {
    const struct blocking_request *request;
    struct scorer *scorer;
    /* Two parts of the documents with n rows each: the choice is confirmed on the second part. */
    struct matrix choosing, confirming;
};

/* Builds the scorer and checks its scores against the reference. The request must outlive the
 * bench. STATUS_UNSUPPORTED if the implementation has only one unit, so that no order differs from
 * another. Free the bench even after an error. */
enum status blocking_bench_open(const struct blocking_request *request,
                                struct blocking_bench *bench, struct error *error);
void blocking_bench_free(struct blocking_bench *bench);

/* Describes the problem of the bench's scorer on a machine. */
void blocking_bench_problem(const struct blocking_bench *bench,
                            const struct blocking_machine *machine,
                            struct blocking_problem *problem);

/* A blocking_measure. The context is a struct blocking_bench. */
enum status blocking_bench_measure(void *context, enum blocking_step step,
                                   const struct blocking_candidate *candidates, size_t n,
                                   struct blocking_time *times, struct error *error);

/* Describes the machine and searches. The result and the bench refer to the request. The bench
 * stays open for further measurements. Free it even after an error; it must be all zeros before the
 * call. */
enum status blocking_run(const struct blocking_request *request, struct blocking_bench *bench,
                         struct blocking_result *result, struct error *error);

/* --- reports: blocking_report.c --------------------------------------------------------------- */

void blocking_print(FILE *stream, const struct blocking_result *result);

/* docs/blocking.md has the keys. NULL if memory runs out. */
cJSON *blocking_to_json(const struct blocking_result *result);

/* --- jin2016's claims about the guided choice, judged by an exhaustive search ----------------- */

/* The paper's largest error of a guided choice (section 5.2). */
#define GUIDED_MOST 0.024

/* The choice is at most 2.4 % slower than the best point of the exhaustive search. */
enum verdict blocking_judge_close(const struct ratio *error);

/* The best point is one of the cases that the proposition proposes, which are the paper's four, or
 * six with large trees. A best point that is not measurably faster than the guided choice ties with
 * it. Not judged (unresolved) if the conditions of the proposition do not hold. */
enum verdict blocking_judge_proposition(const struct blocking_problem *problem, bool by_proposition,
                                        const struct range_case *best, const struct ratio *error);

/* Without blocks (DS), scoring takes longer. */
enum verdict blocking_judge_pays(const struct ratio *ds_to_choice);

/* --- partitions: partition_search.c -----------------------------------------------------------
 * Finds the best number of trees per unit (tau) of QuickScorer's units, each with its best order
 * and blocks (jin2016, sections 4.3 and 5.3): a loop over the partition around the guided search.
 */

/* Returns how many documents fit a level beside one unit of a scorer: the mean bytes of its units,
 * and its workspace. The paper takes L3, because a unit may not fit L2. At least 1 and at most
 * n_docs. */
size_t partition_docs(const struct scorer *scorer, double doc_bytes, double level_bytes,
                      size_t n_docs);

/* Chooses the numbers of trees per unit to try, in ascending order: 1, 2, 5, 10, ... and all trees.
 * Returns their number. */
enum { PARTITIONS_MOST = 32 };
size_t partition_list(uint32_t n_trees, size_t taus[static PARTITIONS_MOST]);

/* The best order and blocks of a partition, confirmed on other documents. */
struct partition_point {
    uint32_t tau;
    size_t n_units;
    struct blocking choice;
    struct blocking_time time, ds_time;
};

/* Searches each tau of partition_list that gives at least two units. Partitions are measured one
 * after the other. Returns their number in *n. Fails if the implementation has no option tau; the
 * request's spec is without it. */
enum status partition_search(const struct blocking_request *request,
                             const struct blocking_machine *machine,
                             struct partition_point points[static PARTITIONS_MOST], size_t *n,
                             struct error *error);

/* Prints a line per partition and marks the best. */
void partition_print(FILE *stream, const char *impl, const struct partition_point *points,
                     size_t n);

/* --- batches of queries -----------------------------------------------------------------------
 * jin2016, sections 4.3 and 5.4. A batch of B queries with n documents each is a call of B * n
 * documents, in which blocks of documents can be larger than a query. Queries then wait for each
 * other. */

struct query_batch {
    size_t queries; /* B */
    size_t docs;    /* n, per query */
    size_t trees;   /* m */
    double ns;      /* t, per document and tree, in calls of B * n documents */
};

/* Returns 1 / (t * n * m). */
double batch_queries_per_second(const struct query_batch *batch);

/* Returns B * n * m * t in ms: what a full batch takes. */
double batch_service_ms(const struct query_batch *batch);

/* Returns the mean time in ms from the arrival of a query to the start of its batch. Queries arrive
 * at a fixed rate, and a batch starts when B queries have come and the batch before it is done.
 * INFINITY if queries come faster than they are scored. */
double batch_mean_wait_ms(const struct query_batch *batch, double arrivals_per_second);

enum { QUERY_BATCHES_MOST = 5 }; /* batches of 1, 10, 100, 1000 and 10,000 queries, as in Table 7 */

struct query_batches {
    size_t n;
    struct query_batch batches[QUERY_BATCHES_MOST];
    /* DS, then those of the batches */
    struct blocking_candidate candidates[1 + QUERY_BATCHES_MOST];
    double ds_ns; /* per document and tree */
};

/* Measures each batch in the order DSD, in the same rounds. A block has all documents of the batch,
 * but at most `most`, which is the best size for many documents. Batches of more documents than the
 * bench has are left out, so that n may be 0. */
enum status query_batches_measure(struct blocking_bench *bench, size_t query_docs, size_t most,
                                  struct query_batches *result, struct error *error);

/* Prints queries per second, the time of a full batch, and how long queries wait for their batch if
 * they come at half the rate that single queries allow. */
void query_batches_print(FILE *stream, const struct query_batches *result);

/* --- artefacts with "measure": "blocking": blocking_artefact.c ---------------------------------
 * jin2016's Table 5. Each point's model and documents are searched for the fastest order and
 * blocks, guided and exhaustively. */

enum { CHOICE_TEXT_SIZE = BLOCKING_TEXT + 16 };

/* What a search found: one line of a run's blocking.jsonl (docs/blocking.md). */
struct blocking_choice {
    struct workload workload; /* documents: of a call */
    char spec[ROW_NAME_SIZE], note[ROW_NOTE_SIZE];
    unsigned origin;                                       /* the model's: bits of base/origin.h */
    char guided[CHOICE_TEXT_SIZE], best[CHOICE_TEXT_SIZE]; /* "DSD2: DSD d = 373" */
    struct ratio error; /* how much slower the guided choice is than the best point: 0.01 is 1 % */
    struct ratio ds;    /* time of DS, divided by that of the choice */
    double unmeasured;  /* the same of the order that is chosen without measuring */
    double seconds, exhaustive_seconds;  /* of the CPU */
    double l1_miss_rate, l2_miss_rate;   /* fitted to the times of the candidates */
    double correlation;                  /* of T and the candidates' times, by rank */
    double cases_correlation, cases_fit; /* of all 28 cases; with fitted miss rates */
    enum verdict proposition; /* the best point is a case that the proposition proposes */
};

#endif
