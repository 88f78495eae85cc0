/* Measures a cell: verifies the scores, calibrates the length of samples, takes samples in rotated
 * interleaved rounds and counts events. */
#ifndef HARNESS_MEASURE_MEASURE_H
#define HARNESS_MEASURE_MEASURE_H

#include "base/note.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/progress.h"
#include "harness/rows/row.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct measure_request {
    uint32_t rounds; /* samples of each variant */
    /* A time of timer_wall_ns. After it, no round begins except the first `least_rounds`. 0: no
     * limit. */
    uint64_t until_ns;
    uint32_t least_rounds;
    const char *clock; /* the reported clock: "cpu" or "wall" */
    enum counters_source counters;
    /* With order DS, doc_block 0 means all documents in one block. More than one thread requires
     * the wall clock and has no counters. callgrind requires order DS and all units in one
     * block. */
    struct plan plan;
    bool single_documents; /* blocks of `lanes` documents, as in the papers */
    const bool *simulated; /* [n_variants] variants that callgrind also counts; NULL: none */
    /* [n_variants] scorers that the caller keeps between cells of one ensemble. For a NULL entry, a
     * scorer is built and checked. A correct scorer is stored in the entry and then belongs to the
     * caller. If the array is NULL, all scorers are built for this cell only. */
    struct scorer **scorers;
    /* Limit for the bytes of all scorers of this cell; 0: no limit. A scorer that takes more than
     * half of the limit is rejected. */
    size_t built_most;
    struct progress *progress; /* gets a line for each step; may be NULL */
    note_function *note;       /* gets notes for the user; may be NULL */
};

/* Measures `variants` ("vpred,v=8") on one workload. The caller initialises rows[i] and fills its
 * "asked" part, except lanes and blocks, which depend on the built scorer. This function fills the
 * rest. If a variant fails, its row has the status and the reason. The call itself fails only if
 * the workload cannot be measured at all (no memory, no reference). */
enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measure_request *how, struct row *rows, struct error *error);

#endif
