/* An implementation: one way to find exit leaves and add up their values.
 *
 * A new one is one new file in this folder, which defines a `const struct impl impl_NAME`, and one
 * line in registry.def. Nothing else changes: the command line, tests, benchmarks and listings go
 * through the registry. See docs/adding-an-implementation.md. */
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
    void *workspace; /* scorer->workspace bytes at a multiple of 64, of any content; each thread
                        has its own */
};

/* An ensemble built for one implementation. An implementation embeds this as the first member of
 * its own struct and fills it in `build`. */
struct scorer {
    const struct impl *impl;
    size_t n_units;      /* independently scorable parts; usually the trees */
    unsigned lanes;      /* documents per step; any number of documents can be scored all the same.
                            0, of libraries: as many as a call has */
    uint32_t n_features; /* documents must have at least so many */
    uint32_t n_outputs;
    size_t bytes;         /* memory that scoring reads: the size of the built model */
    size_t workspace;     /* bytes that a call of `score` needs to work in; 0: none */
    float zeros_up_to;    /* of libraries: an x with |x| up to this is taken for 0 */
    uint32_t float_trees; /* values of so many trees are added in float32, and that sum to a double;
                             0: all in double; UINT32_MAX: all in float32. Not of libraries, of
                             which that is not known */
    const char *note;     /* what whoever had it built should be told: one line, the scorer's own.
                             NULL: nothing. Implementations print nothing themselves */
};

struct impl_param {
    const char *name, *meaning, *values, *standard; /* "v", "documents per step", "1 4 8", "8" */
};

enum impl_kind {
    IMPL_TRAVERSAL, /* scores documents; must agree with the reference, to the last bit but for
                       float_trees */
    IMPL_BASELINE,  /* scores nothing: a floor that the others are seen against */
    IMPL_LIBRARY, /* somebody else's, called as it is: reaches the reference's leaves, adds them up
                    in its own way, in float32 maybe; may allocate while it scores. One unit */
    IMPL_OBJECT   /* the same, but code that somebody's compiler made of one model: it has its own
                     leaves, so that only its sums can be checked */
};

struct impl {
    const char *name;   /* as typed: "vpred" */
    const char *title;  /* "VPRED" */
    const char *source; /* "asadi2014 section 3" */
    enum impl_kind kind;
    const struct impl_param *params; /* ended by a name of NULL; NULL when there are none */
    unsigned cpu;                    /* CPU features without which it must not run */

    /* Builds a scorer of its own: nothing of `ensemble` is used afterwards. Refuses with the
     * reason what it cannot do. Option values are the implementation's to check; names are checked
     * against `params` before. On failure *scorer is untouched. */
    enum status (*build)(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error);

    /* *Adds* the part of the units [units.begin, units.end) to the scores of the documents
     * [docs.begin, docs.end). The loop over units is outside, the loop over documents inside, and
     * the units are added in their order. Reentrant, given workspaces of their own; allocates
     * nothing. */
    void (*score)(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

    void (*destroy)(struct scorer *scorer);

    /* Of libraries: STATUS_OK when it is there, STATUS_MACHINE when it is not, STATUS_MEMORY when
     * memory ran out while looking. The text is which one, how to point at one, or the error. */
    enum status (*find)(char *text, size_t size);

    /* Of those that choose, else NULL: what they take for n_docs documents in calls of `block`. */
    void (*describe)(const struct scorer *scorer, size_t n_docs, size_t block, char *text,
                     size_t size);

    bool sets; /* knows set nodes; others are built from a copy that has plain nodes only */
};

/* --- the registry ----------------------------------------------------------------------------- */
const struct impl *const *impl_all(size_t *count);
/* NULL: the error says what runs here. */
const struct impl *impl_find(const char *name, struct error *error);

/* Has this processor the instructions? */
bool impl_runs_here(const struct impl *impl);

/* False for a library that is not there, which "all implementations" therefore leaves out. True if
 * memory ran out while looking: building it then fails with that reason. */
bool impl_is_here(const struct impl *impl);

/* What "vpred,v=8" names, with its options: NULL, and the error, when there is no such
 * implementation or it has no such option. Values are checked by `build`. */
const struct impl *impl_parse(const char *spec, struct options *options, struct error *error);

/* --- using one -------------------------------------------------------------------------------- */

/* "vpred,v=8" and an ensemble into a scorer: looks the name up, checks the option names and the
 * CPU's features, builds. STATUS_MACHINE when the CPU lacks a feature. */
enum status scorer_build(const char *spec, const struct ensemble *ensemble, struct scorer **scorer,
                         struct error *error);
void scorer_destroy(struct scorer *scorer); /* NULL is fine */

/* --- loop orders, written once for every implementation ----------------------------------------
 * DS: for each block of documents, for each block of units. SD: the blocks of units are outside.
 * Inside a block, units are outside and documents inside (see `score`). A block of 0 means: all
 * of them. DS with doc_block = lanes is the papers' document at a time. */
enum order { ORDER_DS, ORDER_SD };

enum parallel {
    PARALLEL_DOCUMENTS, /* each thread has some of the documents: throughput */
    PARALLEL_TREES,     /* each thread has some of the units: latency */
    PARALLEL_BOTH
};

struct plan {
    enum order order;
    size_t doc_block, unit_block;
    unsigned threads; /* 0 is 1; more than one needs impls/runner.h */
    enum parallel parallel;
};

/* Memory for the workspace of one thread, to be freed by free(); NULL only where there is none to
 * be had. */
void *scorer_workspace(const struct scorer *scorer);

/* Adds to the scores of the documents 0 .. n_docs-1 of the batch, by the calling thread alone. Base
 * scores are not included. */
void scorer_run(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                const struct batch *batch);

#endif
