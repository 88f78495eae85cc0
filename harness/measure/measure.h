/* Measures a cell. Verifies the scores, calibrates the length of samples, takes samples in
 * interleaved rounds, and counts events. */
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
#include <stddef.h>
#include <stdint.h>

/* How a cell is measured: rounds, placements, clock, counters, threads. */
struct measure_request {
    uint32_t rounds; /* number of samples per variant */
    /* Number of placements (harness/instruments/stats.h) over which the rounds are spread, or
     * the first `least_rounds` if until_ns is set. 0 and 1: one placement. Each has new copies of
     * documents and scores. A scorer is built again for each if that takes no longer than its
     * samples do. */
    uint32_t placements;
    /* If not NULL: called after each placement but the last. No more samples are taken once it
     * returns true. */
    bool (*is_settled)(const struct row *rows, size_t n_rows);
    /* SIGINT after the first round ends the sampling, and rows keep the rounds that were taken
     * (harness/instruments/interrupt.h). Then nothing is counted. */
    bool ends_on_interrupt;
    /* If not 0: no round begins after this time (of timer_wall_ns), except the first
     * `least_rounds`. */
    uint64_t until_ns;
    uint32_t least_rounds;
    /* If not 0: no scorer is built after this time, except the first `least_built`. */
    uint64_t build_until_ns;
    size_t least_built;
    const char *clock; /* the reported clock: "cpu" or "wall" */
    enum counters_source counters;
    /* doc_block is the number of documents per call; 0: all documents are one call. A variant with
     * a loop order of its own (impls/variant.h) uses that order in each call. With more than one
     * thread, `clock` must be "wall", and nothing is counted. */
    struct plan plan;
    /* each call scores `lanes` documents, as in the papers. A variant with an order of its own
     * scores all documents in one call. */
    bool single_documents;
    /* With single_documents: threads that share trees add up their sums after each call, not only
     * at the end of a pass. */
    bool barrier_each_step;
    /* A sample is one pass, after the caches were emptied, as in the programs of asadi2014. */
    bool is_cold;
    /* [n_variants] true: callgrind also counts the variant's events; NULL: no variant */
    const bool *simulated;
    const struct simulated_caches *caches; /* for callgrind; NULL: the default */
    bool count_team; /* callgrind counts code for several threads, run by one thread */
    /* [n_variants] scorers that the caller keeps for other cells of the same ensemble. If an entry
     * is NULL, a scorer is built and checked. If it is correct, it is stored in the entry and
     * belongs to the caller. If the array is NULL, no scorer is kept. */
    struct scorer **scorers;
    /* Limit for the bytes of all scorers of this cell; 0: no limit. One scorer may take at most
     * half of the limit. */
    size_t built_most;
    bool reads_resident;       /* the resident memory of building: rows[i].resident */
    struct progress *progress; /* shows each step; may be NULL */
    note_function *note;       /* receives notes for the user; may be NULL */
    /* true: notes of scorers are dropped, because nobody asked for these implementations */
    bool drops_scorer_notes;
};

static inline unsigned measure_threads(const struct measure_request *how) {
    return how->plan.threads ? how->plan.threads : 1;
}

/* Measures `variants` ("vpred,v=8") on one workload and fills rows[i] for variant i. The caller
 * initialises each row and sets its members under "asked", except `lanes` and the blocks, which
 * depend on the scorer. If a variant fails, its row has the status and the reason. The function
 * fails only if no variant can be measured (for example, if memory runs out). */
enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measure_request *how, struct row *rows, struct error *error);

/* Part of a row's note if the ensemble has no counts, but the implementation orders nodes by them.
 */
#define MEASURE_EQUAL_BRANCHES "without counts of documents, all branches count as equally likely"

/* The reason of a variant that was not built because build_until_ns was over. */
#define MEASURE_NO_TIME "there was no time. Increase --seconds"

#endif
