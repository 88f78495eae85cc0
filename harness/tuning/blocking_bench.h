/* Measures orders and blocks for a search (harness/blocking/search.h). All of them use the same
 * scorer, so that they differ in nothing but the sequence of visits. */
#ifndef HARNESS_TUNING_BLOCKING_BENCH_H
#define HARNESS_TUNING_BLOCKING_BENCH_H

#include "base/note.h"
#include "datasets/matrix.h"
#include "harness/blocking/search.h"
#include "harness/instruments/progress.h"
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

#endif
