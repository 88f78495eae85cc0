/* What each implementation costs on a model, call by call, and what `auto` makes of it.
 *
 * All candidates are screened with three rounds at each size of a call. Those near the best are
 * then sampled properly, and so is `auto` without tuning. Their times are stored, except those of
 * several threads. `auto`, which reads what is stored, is measured against the best and against
 * libraries. */
#ifndef HARNESS_TUNE_H
#define HARNESS_TUNE_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/row.h"
#include "impls/auto_times.h"
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
/* Of trees, whose decisions no branch predictor should learn by heart. */
enum { TUNE_VISITS = 1 << 20 };

struct tuning { /* what is asked */
    const struct ensemble *ensemble;
    const struct matrix *documents;
    size_t batches[TUNE_BATCHES_MAX]; /* documents of a call */
    size_t n_batches;
    size_t too_large[TUNE_BATCHES_MAX]; /* sizes that were asked for and take too much memory */
    size_t n_too_large;
    enum auto_source source; /* of the documents */
    bool fresh;              /* what is stored is ignored and replaced */
    unsigned threads; /* more than one: nothing is stored, for `auto` chooses by times of one */
    bool with_codegen;
    double seconds; /* about so long, where that allows a first look at each */
};

/* A candidate at one size of a call. The row is initialised, whatever the state. */
enum tune_state { TUNE_LEFT_OUT, TUNE_SCREENED, TUNE_SAMPLED, TUNE_REFUSED };
struct tune_entry {
    enum tune_state state;
    struct row row;
};

struct tune_batch {
    size_t docs;
    bool screened;    /* false: there was no time */
    bool kept_stored; /* the stored times of this size tell more, and stay */
    struct tune_entry entries[TUNE_CANDIDATES_MAX]; /* by candidate */
    double best_screened; /* ns per document: by how much the others missed being sampled */
    /* Sampled together at the end: `auto`, the best candidate, libraries (or struct-plus). */
    struct row rivals[TUNE_RIVALS_MAX];
    size_t n_rivals;
    char choice[TUNE_CHOICE_SIZE]; /* what `auto` takes for such a call; "": not known */
};

struct tuned {
    char specs[TUNE_CANDIDATES_MAX][AUTO_SPEC_SIZE];
    size_t n_specs;
    struct tune_batch batches[TUNE_BATCHES_MAX];
    size_t n_batches;
    const char *clock;
    unsigned threads;
    enum auto_source source;
    size_t n_docs;                    /* that were scored */
    size_t skipped[TUNE_BATCHES_MAX]; /* sizes that there was no time for */
    size_t n_skipped;
    size_t others[TUNE_BATCHES_MAX]; /* sizes that only an earlier run measured, and that stay */
    size_t n_others;
    size_t dropped[TUNE_BATCHES_MAX]; /* stored sizes that there was no room for */
    size_t n_dropped;
    size_t too_large[TUNE_BATCHES_MAX]; /* sizes that would take too much memory */
    size_t n_too_large;
    bool hurried;                  /* libraries were left out for want of time */
    double asked_seconds, seconds; /* that it was to take, and took */
    char path[PATH_MAX];           /* where it was stored; "": it was not */
    struct error not_stored;       /* why not; "": times of several threads never are */
};

/* Freed by tuned_free, whatever the outcome. */
enum status tune(const struct tuning *tuning, struct tuned **tuned, struct error *error);
void tuned_free(struct tuned *tuned);

/* The candidate with the least time at this size; NULL where none could be measured. */
const struct row *tune_best(const struct tuned *tuned, const struct tune_batch *batch);

#endif
