/* How a cell is measured: verify, calibrate, sample in rotated interleaved rounds, count. */
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/counters.h"
#include "harness/progress.h"
#include "harness/row.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct measuring {
    uint32_t rounds; /* samples of each variant */
    /* No round but the first `least_rounds` begins after this time of timer_wall_ns; 0: all do. */
    uint64_t until_ns;
    uint32_t least_rounds;
    const char *clock; /* "cpu" or "wall": the one reported */
    enum counters_source counters;
    /* doc_block 0 with order DS: all documents in one block. More than one thread: by the wall
     * clock only, and nothing is counted. For callgrind: order DS, all units in one block. */
    struct plan plan;
    bool single_documents; /* blocks of `lanes` documents: the papers' document at a time */
    const bool *simulated; /* [n_variants] callgrind counts these in any case; NULL: none of them */
    /* [n_variants], kept by the caller from cell to cell of one ensemble: what is NULL is built and
     * checked in this cell, and is the caller's where it was right. NULL: all, for this cell only.
     */
    struct scorer **scorers;
    /* Bytes of all scorers of this cell; one may take half. What takes more is refused. 0: any. */
    size_t built_most;
    struct progress *progress; /* told what is built; NULL: nobody */
};

/* Measures `variants` ("vpred,v=8") on one workload. rows[i] must be initialised and have its
 * `asked` part filled, but for what the built scorer tells (lanes, blocks); the rest is filled
 * here. A variant that fails has its status and reason in its row; only trouble with the workload
 * itself (no memory, the reference cannot be built) fails the call. */
enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measuring *how, struct row *rows, struct error *error);

#endif
