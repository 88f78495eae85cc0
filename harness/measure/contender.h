/* A contender: a variant of a cell, with everything that a pass over the documents needs. */
#ifndef HARNESS_MEASURE_CONTENDER_H
#define HARNESS_MEASURE_CONTENDER_H

#include "harness/measure/measure.h"
#include "harness/measure/verify.h"
#include "impls/runner.h"
#include "impls/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time that samples took on a device, for implementations that have one. */
struct device_times {
    double documents, scoring_ns, preparing_ns, copying_ns; /* sums over samples */
};

struct contender {
    const char *variant;
    struct variant parsed; /* its implementation and its loop order */
    struct scorer *scorer;
    /* An earlier contender of the cell whose scorer this one uses: the same implementation in
     * another loop order. NULL: none. */
    const struct contender *lender;
    /* Belongs to the caller of measure_cell: a scorer of an earlier cell or, if the caller keeps
     * scorers, the first one that was built. NULL: none. */
    struct scorer *kept;
    struct runner *runner;
    struct plan plan;
    const struct matrix *documents;
    double *scores;
    uint64_t repetitions;
    bool warmed;                      /* an untimed pass precedes each sample */
    double sample_ns;                 /* about how long a sample takes, with its untimed pass */
    size_t bytes_most;                /* limit for the size of the scorer */
    struct device_times device_times; /* of all samples */
    struct row *row;
};

static inline bool contender_is_ok(const struct contender *c) {
    return c->row->status == ROW_OK;
}

/* Builds and checks the scorer, unless it was kept from an earlier cell or lent, and starts the
 * threads. `documents`, `row`, `variant`, `kept`, `lender` and `bytes_most` must be set. A failure
 * is recorded in the row. `verifier` may be NULL if the scorer was kept. */
void contender_prepare(const struct ensemble *ensemble, struct verifier *verifier,
                       const struct measure_request *how, struct contender *c);

/* Does building the scorer again take little of the `samples_ns` that the samples of a placement
 * take? Large scorers are not built again either. */
bool contender_builds_fast(const struct contender *c, double samples_ns);

/* Gives the contender other addresses: builds the scorer again if that is fast, or takes that of
 * its lender, and creates other threads. If it cannot be built again, the contender keeps what it
 * has.
 */
void contender_build_again(const struct ensemble *ensemble, const struct measure_request *how,
                           double samples_ns, struct contender *c);

/* Frees the threads, and the scorer unless the caller of measure_cell keeps it. */
void contender_free(struct contender *c);

/* Scores all documents once. The argument is a contender. */
void contender_pass(void *argument);

/* Shows what is being done with a variant. */
void contender_tell(const struct measure_request *how, const char *what, const char *variant);

/* Takes samples of contenders in interleaved rounds, over several placements. */

struct sampling;

/* Gives the contenders their documents and scores. Their rows must be adjacent. The ensemble, the
 * documents, the request and the contenders must outlive the sampling. */
enum status sampling_begin(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct measure_request *how, struct contender *contenders,
                           size_t n, struct sampling **sampling, struct error *error);

/* Calibrates the contenders whose rows are ok, takes samples of them, and summarises the samples in
 * their rows. Afterwards, the contenders have the documents and scores of the last placement. */
enum status sampling_run(struct sampling *sampling, struct error *error);
void sampling_end(struct sampling *sampling); /* NULL is allowed */

/* Returns the contender at position k of a round of n contenders. Each round begins with another
 * contender, and every other round runs backwards. Otherwise a contender would always run after the
 * same other one, which leaves its own data in caches and branch predictors. */
size_t sampling_turn(size_t round, size_t k, size_t n);

#endif
