/* What tune is asked to do, and its result. */
#ifndef HARNESS_TUNING_TUNE_RESULT_H
#define HARNESS_TUNING_TUNE_RESULT_H

#include "base/note.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "impls/auto/auto_times.h"
#include "impls/variant.h"
#include "models/ensemble.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    TUNE_BATCHES_MAX = AUTO_SIZES_MAX,
    TUNE_CANDIDATES_MAX = AUTO_SPECS_MAX,
    TUNE_RIVALS_MAX = 8,
    TUNE_CHOICE_SIZE = 256
};
/* Tree visits per pass: too many decisions for a branch predictor to memorise. */
enum { TUNE_VISITS = 1 << 20 };

struct tune_request {
    const struct ensemble *ensemble;
    const struct matrix *documents;
    size_t batches[TUNE_BATCHES_MAX]; /* documents per call, in increasing order */
    size_t n_batches;
    size_t too_large[TUNE_BATCHES_MAX]; /* requested sizes that need too much memory */
    size_t n_too_large;
    enum auto_source source; /* where the documents come from */
    bool fresh;              /* ignore the stored times and overwrite them */
    note_function *note;     /* receives notes for the user; may be NULL */
    /* With several threads, nothing is stored, because `auto` uses the times of one thread. */
    unsigned threads;
    /* A device is named: its implementations are rivals, times are wall times, nothing is stored.
     */
    bool has_device;
    /* If given: the loop order of the candidates within a call. Then nothing is stored, because
     * `auto` uses the default order. */
    struct order_choice order;
    /* Approximate duration, from begin_ns (of timer_wall_ns) on. If the time is short, the less
     * promising candidates are not built. */
    double seconds;
    uint64_t begin_ns;
};

/* How far a candidate got at one size of call. The row is always initialised. */
enum tune_state { TUNE_LEFT_OUT, TUNE_SCREENED, TUNE_SAMPLED, TUNE_REFUSED };
struct tune_entry {
    enum tune_state state;
    struct row row;
};

struct tune_batch {
    size_t docs;
    bool screened;    /* false if the time ran out before screening */
    bool kept_stored; /* the stored times of this size were better, so they were kept */
    struct tune_entry entries[TUNE_CANDIDATES_MAX]; /* index: candidate */
    /* best time in screening, in ns per document; candidates far behind it were not sampled */
    double best_screened;
    /* Rows of the final measurement: `auto`, the best candidate, and the libraries (or
     * struct-plus). They were sampled in the same rounds. */
    struct row rivals[TUNE_RIVALS_MAX];
    size_t n_rivals;
    bool hurried; /* libraries were not measured because the time ran out */
    /* what `auto` chooses at this size; "" if unknown */
    char choice[TUNE_CHOICE_SIZE];
};

struct tune_result {
    char specs[TUNE_CANDIDATES_MAX][AUTO_SPEC_SIZE];
    size_t n_specs;
    struct tune_batch batches[TUNE_BATCHES_MAX];
    size_t n_batches;
    const char *clock;
    unsigned threads;
    enum auto_source source;
    size_t n_docs;                    /* number of documents scored */
    size_t skipped[TUNE_BATCHES_MAX]; /* sizes that were not measured because the time ran out */
    size_t n_skipped;
    /* sizes that only earlier runs measured; their stored times are kept */
    size_t others[TUNE_BATCHES_MAX];
    size_t n_others;
    /* sizes that only earlier runs measured; their times were dropped for lack of room */
    size_t dropped[TUNE_BATCHES_MAX];
    size_t n_dropped;
    size_t too_large[TUNE_BATCHES_MAX]; /* sizes that need too much memory */
    size_t n_too_large;
    double asked_seconds, seconds; /* requested and actual duration */
    char path[PATH_MAX];           /* file of the stored times; "" if nothing was stored */
    /* why nothing was stored; not set if the reason is that there are several threads */
    struct error not_stored;
};

/* Returns the row of the fastest candidate at this size, or NULL if there is none. Considers
 * candidates that were sampled and candidates in `state`. */
const struct row *tune_best(const struct tune_result *result, const struct tune_batch *batch,
                            enum tune_state state);

void tune_result_free(struct tune_result *result);

#endif
