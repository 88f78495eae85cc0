/* The interface of an implementation: one way to find exit leaves and add up their values.
 *
 * A new implementation is one new file that defines a `const struct impl impl_NAME`, and one line
 * in registry.def. The command line, tests, benchmarks and listings go through the registry. See
 * docs/adding-an-implementation.md. Code that calls implementations includes impls/scorer.h. */
#ifndef IMPLS_IMPL_H
#define IMPLS_IMPL_H

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    size_t begin, end; /* [begin, end) */
};

/* The type of the values of documents. */
enum values_type { VALUES_FLOAT, VALUES_INT16, VALUES_INT32 };

/* The documents of a call, and where their scores go. */
struct batch {
    /* Document i is at x + i * stride. If scorer->values is not VALUES_FLOAT, it has integers
     * there; the stride counts floats all the same. */
    const float *x;
    size_t stride;
    double *scores;  /* scores[document * n_outputs + output] */
    void *workspace; /* scorer->workspace bytes, aligned to 64 bytes, uninitialised; each thread has
                        its own */
};

/* An ensemble built for one implementation. It is the first member of the implementation's own
 * struct, and `build` fills it in. */
struct scorer {
    const struct impl *impl;
    size_t n_units; /* parts that can be scored independently, numbered from 0; usually the trees */
    unsigned lanes; /* Documents that are scored together (a step). A call may have any number of
                       documents, not only multiples of `lanes`. 0 for libraries, which get all
                       documents of a call at once. */
    uint32_t n_features; /* each document has at least this many features */
    uint32_t n_outputs;  /* scores per document */
    uint32_t n_trees;
    size_t bytes;     /* size of the built model: all memory that scoring reads, except documents */
    size_t workspace; /* bytes of workspace that a call of `score` needs */
    float zeros_up_to;    /* libraries only: feature values x with |x| <= zeros_up_to count as 0 */
    uint32_t float_trees; /* Leaf values of this many trees are added in float32, and their sum is
                             added to a double. 0: all sums are doubles. UINT32_MAX: all sums are
                             float32. Always 0 for IMPL_LIBRARY, because libraries do not tell. */
    bool votes;           /* the leaves name classes: each tree adds 1 to the score of a class */
    /* The layout follows how likely branches are, but the ensemble has no counts: both children of
     * a node counted as equally likely. */
    bool equal_branches;
    /* What `score` reads. For integers, documents are converted before they are scored
     * (runner_prepare). Callers without a runner must refuse such a scorer. */
    enum values_type values;
    const char *note;        /* one-line note for the user, owned by the scorer; NULL if none */
    double build_ns;         /* wall time that building took, set by scorer_build */
    struct memory_pool pool; /* arrays, which are freed with the scorer */
};

/* An option of an implementation, for example {"v", "documents per step", "1 4 8", "8"}. */
struct impl_param {
    const char *name, *meaning, *values, *standard; /* `standard` is the default */
};

/* Facts by which callers choose implementations, which they do not know by name. Bits. */
enum impl_role {
    IMPL_REFERENCE = 1,   /* what the others are checked against */
    IMPL_CHOOSER = 2,     /* scores by one of the others */
    IMPL_SURPASSED = 4,   /* a paper's baseline, which is not worth trying where speed counts */
    IMPL_USUAL = 8,       /* where the user names none */
    IMPL_PLAIN_WALK = 16, /* the walk of trees that others are compared with */
    IMPL_EXAMPLE = 32,    /* stands for fast scoring on any model; the fastest is registered last */
    IMPL_EMPTY = 64,      /* does nothing: its time is that of a call */
    IMPL_PEER = 128       /* The user's own code, which nobody here has tried. It is first built and
                             checked in a process of its own (impls/peers/plugin.h). */
};

enum impl_kind {
    IMPL_TRAVERSAL, /* computes the reference's scores, bit for bit if float_trees is 0 */
    IMPL_BASELINE,  /* computes no scores; measures a cost that other implementations have too */
    IMPL_LIBRARY, /* A third-party library. It reaches the same leaves as the reference, but may add
                     leaf values in float32 and may allocate while it scores. It has one unit. */
    IMPL_OBJECT,  /* Third-party code compiled from one model. The leaf values are compiled into the
                     code, so only scores can be checked, not exit leaves. */
    IMPL_DEVICE   /* Runs on a device that the user named, such as a GPU. It reaches the same leaves
                     as the reference, but adds values in another order. It has one unit. */
};

/* The device of a scorer, and the time on it of all calls of `score` so far, by the driver's clock.
 */
struct impl_device {
    char name[128], driver[128];
    uint32_t units;    /* multiprocessors or cores */
    uint64_t l2_bytes; /* the cache that all units share */
    uint64_t documents;
    double scoring_ns;   /* kernels that score */
    double preparing_ns; /* kernels that transpose or rank documents */
    double copying_ns;   /* copies between the host and the device */
};

/* ns for each property of a model's shape. `always` does not depend on the model. */
struct impl_rates {
    double always, tree;
    double node;      /* an inner node */
    double wide_node; /* added per inner node if any tree has over 32 leaves */
    double far_node;  /* added per inner node beyond the first 65,536 */
    double level;     /* a level of a tree; the longest path has one decision per level */
    double far_level; /* added per level, times the fraction of nodes that are far */
    double row; /* an inner node of a perfect tree as deep as the deepest of 64 trees, which is what
                   `rank-levels` reads for these 64 */
    double decision; /* a decision of the average document; both children are equally likely if
                        the model has no counts */
    double surprise; /* the share of decisions that go to the less likely child */
    double piece;    /* a piece of a tree; `planes` cuts large trees into pieces (planes_trees.c) */
    double piece_node; /* an inner node of a piece */
    double bundle;     /* 63 inner nodes, at which `rank-bytes` looks together; it looks at one such
                          bundle on each level of a larger tree */
    double feature;    /* a feature that the model tests */
    double bisection;  /* a step of a binary search; log2(1 + n) steps for a feature with n tests */
};

/* What calls cost: ceil(documents / lanes) * step + documents * document. docs/tuning.md describes
 * how costs are measured. */
struct impl_cost {
    const char *params; /* of the variant that was measured, such as "v=16"; NULL: the defaults */
    unsigned lanes;     /* 0: `auto` does not choose the implementation on such processors */
    struct impl_rates step, document;
};

/* Costs are compared within a kind of processors: with AVX-512 VBMI (measured on a Zen 5, and on a
 * Zen 4 for single documents and planes-jit-128), or others (measured on a Zen 3; arm64's are those
 * of the nearest x86 kernel). */
enum { IMPL_VBMI, IMPL_NO_VBMI, IMPL_PROCESSORS };

/* The form in which `treebench export` writes an implementation, in the order of --impl. */
enum impl_form {
    IMPL_NO_FORM,
    IMPL_PLANES,     /* bit planes, which score many documents at once */
    IMPL_RANK_BYTES, /* ranks, which score a single document */
    IMPL_TABLES,     /* nodes in tables, without branches; the others have it too */
    IMPL_BLOCKS,     /* nested blocks; this and the next are for small machines */
    IMPL_FRAMES      /* nodes in tables, with branches, likely paths contiguous */
};

/* A scorer that shares its arrays with another one, and has an output for each tree: its scores are
 * the values of exit leaves, or their classes if the trees vote. Trees have the order of the model,
 * and each unit but the last has unit_trees of them. */
struct spread {
    struct scorer *scorer;  /* freed with free(), before the other one */
    const uint32_t *output; /* [n_trees] of the other scorer, if it has several and does not vote */
    size_t unit_trees;
};

/* What `auto` predicts for a call in one thread. */
struct call_cost {
    double ns, fixed_ns; /* the time, and how much of it does not depend on the trees */
};

struct impl;
typedef enum status impl_build(const struct impl *impl, const struct ensemble *ensemble,
                               const struct options *options, struct scorer **scorer,
                               struct error *error);

struct impl {
    const char *name;   /* on the command line: "vpred" */
    const char *title;  /* "VPRED" */
    const char *source; /* "asadi2014 section 3" */
    enum impl_kind kind;
    const struct impl_param *params; /* ended by a NULL name; NULL if there are none */
    unsigned cpu;                    /* required CPU features */

    /* Builds a scorer of `impl` that owns all its memory; `ensemble` may be freed afterwards.
     * Begins with scorer_create and ends with scorer_finish. Checks the values of the options; the
     * caller has checked the options' names. On failure, fills in *error and leaves *scorer
     * unchanged. */
    impl_build *build;

    /* *Adds* the leaf values of the units [units.begin, units.end) to the scores of the documents
     * [docs.begin, docs.end). The outer loop is over units, in ascending order, and the inner loop
     * is over documents. Reentrant if each thread has its own workspace. Allocates nothing, except
     * in libraries. */
    void (*score)(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

    /* Releases what is not in the scorer's pool. NULL if there is nothing else. */
    void (*destroy)(struct scorer *scorer);

    /* Libraries and devices only: STATUS_OK if it is here, STATUS_MACHINE if not, STATUS_MEMORY
     * if memory ran out. `text` becomes the path or version of the library, the name of the device,
     * or an error with a
     * remedy. */
    enum status (*find)(char *text, size_t size);

    /* Writes to `text` which implementation the scorer chooses for n_docs documents in calls of
     * `block` documents. NULL for implementations that do not choose among others. */
    void (*describe)(const struct scorer *scorer, size_t n_docs, size_t block, char *text,
                     size_t size);

    bool sets;  /* Supports set nodes. If false, `build` gets an ensemble whose set nodes have been
                   rewritten as plain nodes. */
    bool votes; /* Supports ensembles that vote. If false, `build` gets an ensemble with one tree
                   per class instead (models/votes.h). */

    /* Libraries only: writes the library's name and version, such as "XGBoost 1.7.4", or "" if the
     * version is unknown. NULL if it is never known. Call it only if `find` succeeds. */
    void (*version)(char *text, size_t size);

    const char
        *edition;     /* in place of `version`, what it would write; NULL: there is no such text */
    bool double_sums; /* libraries only: they add doubles, in any order */

    bool compiles; /* building runs the C compiler, which may take minutes */

    /* Devices only: the error of the first call of `score` that failed, which made scores NaN. NULL
     * if none failed. The scorer owns the text. */
    const char *(*failure)(const struct scorer *scorer);

    /* Devices only: describes the device, and the time that calls took on it. */
    void (*device)(const struct scorer *scorer, struct impl_device *device);

    /* Makes the spread form of a scorer, by which threads share out a call (library). NULL:
     * calls are not shared out. */
    enum status (*spread)(const struct scorer *scorer, struct spread *spread, struct error *error);

    /* Finds the scorer that scores a call of n_docs documents, and what that costs. NULL if two
     * scorers divide the call. NULL for implementations that do not choose among others. */
    const struct scorer *(*choose)(const struct scorer *scorer, size_t n_docs,
                                   struct call_cost *cost);

    unsigned roles;              /* bits of enum impl_role */
    const char *family;          /* its name without the instruction set; NULL: its name */
    const char *const *variants; /* parameters worth trying, such as "v=8", up to NULL; NULL: only
                                    the defaults */
    /* lambda of jin2016 section 5.1: accesses to a unit per access to a document. QuickScorer reads
     * elements of four arrays, then one feature. 0 means 1: a tree reads one node, then one
     * feature. */
    double lambda;
    const struct impl_cost *costs; /* [IMPL_PROCESSORS], for `auto`; NULL: it does not choose it */
    enum impl_form form;
};

/* Allocates an implementation's own struct of `size` bytes, with a scorer of the ensemble as its
 * first member; everything else is 0. `build` then sets what differs from 0. Returns NULL, with the
 * error, if out of memory. */
void *scorer_create(size_t size, const struct impl *impl, const struct ensemble *ensemble,
                    size_t n_units, unsigned lanes, struct error *error);

/* Begins a spread form (struct spread): copies the scorer's own struct of `size` bytes, and makes
 * each tree an output of its own. *tree_output becomes the outputs of the trees: 0, 1, 2, ... NULL,
 * with the error, if out of memory. */
void *scorer_spread(const struct scorer *scorer, size_t size, uint32_t **tree_output,
                    struct error *error);

/* Ends a build: sets *scorer to `made`, and made->bytes to those of the pool unless they are set.
 * Destroys `made` instead if `status` is a failure, or if an array of its pool is missing. */
enum status scorer_finish(struct scorer *made, enum status status, struct scorer **scorer,
                          struct error *error);

void scorer_destroy(struct scorer *scorer); /* NULL is fine */

#endif
