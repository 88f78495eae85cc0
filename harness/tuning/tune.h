/* Finds the fastest candidate for each size of call. First screens all candidates with up to three
 * rounds per size. Then samples the best of them, and `auto` without stored times. With one thread,
 * stores the sampled times. Finally measures `auto`, which now uses the stored times, against the
 * best candidate and the libraries. */
#ifndef HARNESS_TUNING_TUNE_H
#define HARNESS_TUNING_TUNE_H

#include "base/note.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "impls/auto/auto_times.h"
#include "impls/scorer.h"
#include "impls/variant.h"
#include "models/ensemble.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    TUNE_BATCHES_MAX = AUTO_SIZES_MAX,
    TUNE_CANDIDATES_MAX = AUTO_SPECS_MAX,
    TUNE_RIVALS_MAX = 8 + IMPL_ADDED_MAX,
    TUNE_CHOICE_SIZE = 256
};
/* Tree visits per pass: too many decisions for a branch predictor to memorise. */
enum { TUNE_VISITS = 1 << 20 };

/* Sizes of calls: numbers of documents. */
struct tune_sizes {
    size_t docs[TUNE_BATCHES_MAX], n;
};
static inline void tune_sizes_add(struct tune_sizes *sizes, size_t docs) {
    sizes->docs[sizes->n++] = docs;
}

struct tune_request {
    const struct ensemble *ensemble;
    const struct matrix *documents;
    size_t batches[TUNE_BATCHES_MAX]; /* documents per call, in increasing order */
    size_t n_batches;
    struct tune_sizes too_large; /* requested sizes that need too much memory */
    enum auto_source source;     /* where the documents come from */
    bool fresh;                  /* ignore the stored times and overwrite them */
    note_function *note;         /* receives notes for the user; may be NULL */
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
    const struct tune_request *request;
    const char *clock;
    size_t n_docs;             /* number of documents scored */
    struct tune_sizes skipped; /* not measured, because the time ran out */
    /* only measured by earlier runs: their times are kept, or dropped for lack of room */
    struct tune_sizes others, dropped;
    double seconds;      /* actual duration */
    char path[PATH_MAX]; /* file of the stored times; "" if nothing was stored */
    /* why nothing was stored; not set if the reason is that there are several threads */
    struct error not_stored;
};

/* Returns the row of the fastest candidate at this size, or NULL if there is none. Considers
 * candidates that were sampled and candidates in `state`. */
const struct row *tune_best(const struct tune_result *result, const struct tune_batch *batch,
                            enum tune_state state);

/* Tunes. The caller frees *result with tune_result_free, even after an error. The result refers to
 * the request. */
enum status tune(const struct tune_request *request, struct tune_result **result,
                 struct error *error);
void tune_result_free(struct tune_result *result);

/* --- tune_documents.c: which documents are scored ---------------------------------------------
 * There are enough that branch predictors cannot memorise them, unless they would need too much
 * memory. */

struct tune_documents {
    struct matrix view;  /* what request->documents points to */
    struct matrix *made; /* freed with matrix_free; NULL: the view shows the given documents */
};

/* Sets the documents and their source in the request. If no documents are given, makes some. If too
 * few are given, adds mixtures of them. Sizes of calls that need too much memory are moved from
 * `batches` to `too_large`. Returns STATUS_MEMORY if no size remains. */
enum status tune_documents_choose(const struct matrix *given, struct tune_request *request,
                                  struct tune_documents *documents, struct error *error);

/* Copies the given documents, and adds mixtures of two of them until there are n_rows documents.
 * There are too many mixtures for branch predictors to memorise. The note of the matrix says so. */
enum status tune_documents_resample(const struct matrix *few, size_t n_rows,
                                    struct matrix **resampled, struct error *error);

/* --- tune_store.c ----------------------------------------------------------------------------- */

/* Merges the sampled times with those of earlier runs, and stores them for `auto`. Sets
 * result->path, others and dropped, and kept_stored of each batch. If an earlier run measured a
 * size on better documents, or on equally good documents for a longer time, its times of this size
 * are kept. They are then kept for all implementations, because times from different runs cannot be
 * compared. Sizes that only earlier runs measured are kept too. If nothing can be stored,
 * result->not_stored gives the reason. The function fails only if memory runs out. */
enum status tune_store(struct tune_result *result, struct error *error);

/* --- tune_report.c ---------------------------------------------------------------------------- */

void tune_print(FILE *stream, const struct tune_result *result);
cJSON *tune_to_json(const struct tune_result *result); /* NULL if memory runs out */

#endif
