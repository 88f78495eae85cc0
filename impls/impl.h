/* The interface of an implementation: one way to find exit leaves and add up their values.
 *
 * A new implementation is one new file that defines a `const struct impl impl_NAME`, and one line
 * in registry.def. The command line, tests, benchmarks and listings go through the registry. See
 * docs/adding-an-implementation.md. Callers include impls/scorer.h. */
#ifndef IMPLS_IMPL_H
#define IMPLS_IMPL_H

#include "base/options.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    size_t begin, end; /* [begin, end) */
};

/* The documents of a call, and where their scores go. */
struct batch {
    const float *x; /* document i is at x + i * stride */
    size_t stride;
    double *scores;  /* scores[document * n_outputs + output] */
    void *workspace; /* scorer->workspace bytes, aligned to 64, uninitialised; one per thread */
};

/* An ensemble built for one implementation. An implementation embeds this as the first member of
 * its own struct and fills it in `build`. */
struct scorer {
    const struct impl *impl;
    size_t n_units;       /* independently scorable parts; usually the trees */
    unsigned lanes;       /* Documents per step. Any number of documents may be scored. 0 means that
                             the library takes the whole call at once. */
    uint32_t n_features;  /* documents must have at least this many */
    uint32_t n_outputs;   /* scores per document */
    size_t bytes;         /* memory that scoring reads: the size of the built model */
    size_t workspace;     /* bytes of workspace that a call of `score` needs */
    float zeros_up_to;    /* for libraries: the library treats an x with |x| up to this as 0 */
    uint32_t float_trees; /* Number of trees whose values are added in float32 before the sum is
                             added to a double. 0: all sums are doubles. UINT32_MAX: all sums are
                             float32. Always 0 for libraries, because their number is unknown. */
    const char *note;     /* one-line note for the user, owned by the scorer; NULL if none */
};

/* An option: {"v", "documents per step", "1 4 8", "8"}. */
struct impl_param {
    const char *name, *meaning, *values, *standard; /* `standard` is the default */
};

enum impl_kind {
    IMPL_TRAVERSAL, /* scores documents as the reference does, bit for bit unless float_trees */
    IMPL_BASELINE,  /* computes no scores; its time is a lower bound for the other kinds */
    IMPL_LIBRARY, /* A third-party library. It reaches the same leaves as the reference, but may add
                     leaf values in float32 and may allocate while it scores. It has one unit. */
    IMPL_OBJECT   /* Third-party code compiled from one model. The leaf values are compiled into the
                     code, so only scores can be checked, not exit leaves. */
};

struct impl {
    const char *name;   /* as typed: "vpred" */
    const char *title;  /* "VPRED" */
    const char *source; /* "asadi2014 section 3" */
    enum impl_kind kind;
    const struct impl_param *params; /* ended by a NULL name; NULL if there are none */
    unsigned cpu;                    /* required CPU features */

    /* Builds a scorer that owns all its memory; `ensemble` may be freed afterwards. Checks the
     * values of the options; the caller has checked the options' names. On failure, fills in *error
     * and leaves *scorer unchanged. */
    enum status (*build)(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error);

    /* *Adds* the leaf values of the units [units.begin, units.end) to the scores of the documents
     * [docs.begin, docs.end). The outer loop is over units, in ascending order, and the inner loop
     * is over documents. Reentrant if each thread has its own workspace; allocates nothing. */
    void (*score)(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

    void (*destroy)(struct scorer *scorer);

    /* Libraries only: STATUS_OK if the library is installed, STATUS_MACHINE if not, STATUS_MEMORY
     * if memory ran out. The text names the library that was found, or how to install it. */
    enum status (*find)(char *text, size_t size);

    /* Writes to `text` which implementation the scorer chooses for n_docs documents in calls of
     * `block` documents. NULL for implementations that do not choose among others. */
    void (*describe)(const struct scorer *scorer, size_t n_docs, size_t block, char *text,
                     size_t size);

    bool sets; /* Supports set nodes. If false, `build` gets an ensemble whose set nodes have been
                  rewritten as plain nodes. */
};

#endif
