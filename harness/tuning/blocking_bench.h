/* Measures orders and blocks for a search (harness/blocking/search.h). All of them use the same
 * scorer, so that they differ in nothing but the sequence of visits. */
#ifndef HARNESS_TUNING_BLOCKING_BENCH_H
#define HARNESS_TUNING_BLOCKING_BENCH_H

#include "base/note.h"
#include "datasets/matrix.h"
#include "harness/blocking/batches.h"
#include "harness/blocking/search.h"
#include "harness/instruments/progress.h"
#include "harness/tuning/blocking_report.h"
#include "models/ensemble.h"

#include <stdint.h>

struct blocking_bench {
    const struct ensemble *ensemble;
    const char *spec; /* "struct-plus" */
    struct scorer *scorer;
    /* Two parts of the documents with n rows each: the choice is confirmed on the second part. */
    struct matrix choosing, confirming;
    uint32_t rounds[BLOCKING_STEPS];
    struct progress *progress; /* may be NULL */
    note_function *note;       /* may be NULL */
};

/* Builds the scorer and checks its scores against the reference. `documents` needs 2 * n_docs rows,
 * and must outlive the bench, as must the ensemble and the spec. STATUS_UNSUPPORTED if the
 * implementation has only one unit, so that no order differs from another. Free the bench even
 * after an error. */
enum status blocking_bench_open(const struct ensemble *ensemble, const char *spec,
                                const struct matrix *documents, size_t n_docs, uint32_t rounds,
                                struct blocking_bench *bench, struct error *error);
void blocking_bench_free(struct blocking_bench *bench);

/* A blocking_measure. The context is a struct blocking_bench. */
enum status blocking_bench_measure(void *context, enum blocking_step step,
                                   const struct blocking *blockings, size_t n,
                                   struct blocking_time *times, struct error *error);

/* --- searches ---------------------------------------------------------------------------------
 * What `treebench blocking` does for one model, and an artefact with "measure": "blocking" at each
 * of its points. */

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

/* Describes the machine: result->problem.machine. */
enum status blocking_run_machine(const struct blocking_request *request,
                                 struct blocking_result *result, struct error *error);

/* Describes the machine and searches. The result refers to the request. The bench stays open for
 * further measurements. Free it even after an error; it must be all zeros before the call. */
enum status blocking_run(const struct blocking_request *request, struct blocking_bench *bench,
                         struct blocking_result *result, struct error *error);

/* --- batches of queries -----------------------------------------------------------------------
 * jin2016, section 5.4. A batch of B queries with n documents each is a call of B * n documents, in
 * which blocks of documents can be larger than a query. */

enum { QUERY_BATCHES_MOST = 5 }; /* batches of 1, 10, 100, 1000 and 10,000 queries, as in Table 7 */

struct query_batches {
    size_t n;
    struct query_batch batches[QUERY_BATCHES_MOST];
    struct blocking blockings[QUERY_BATCHES_MOST];
    double ds_ns; /* per document and tree, without blocks */
};

/* Measures each batch in the order DSD, in the same rounds. A block has all documents of the batch,
 * but at most `most`, which is the best size for many documents. Batches of more documents than the
 * bench has are left out, so that n may be 0. */
enum status query_batches_measure(struct blocking_bench *bench, size_t query_docs, size_t most,
                                  struct query_batches *result, struct error *error);

/* Prints queries per second, the time of a full batch, and how long queries wait for their batch if
 * they come at half the rate that single queries allow. */
void query_batches_print(FILE *stream, const struct query_batches *result);

#endif
