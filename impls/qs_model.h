/* The ensemble as QuickScorer reads it: not by trees, but by features. lettich2018 section 2.1.
 *
 * A node is *false* for a document that goes right at it, and then no leaf of its left subtree can
 * be the exit leaf. A tree's leaf set has a bit for each of its leaves, all set to begin with; each
 * false node clears those of its left subtree, and the leftmost leaf left over is the exit leaf,
 * whatever the order of the nodes. So the nodes of all trees of a block are taken feature by
 * feature, in ascending order of their thresholds, and the first one that is not false ends the
 * list.
 *
 * Bit i is leaf i from the left: the leftmost leaf is the lowest bit, which one instruction finds
 * (tzcnt; the paper has it the other way round and takes the highest). A leaf set is one word of 32
 * or 64 bits or, where a tree of the block has more than 64 leaves, as many words of 64 as it
 * needs. An entry of a list clears bits of one word: a node whose left subtree spans several has an
 * entry for each, so that kernels need not know about wide leaf sets before they look for exit
 * leaves. */
#ifndef IMPLS_QS_MODEL_H
#define IMPLS_QS_MODEL_H

#include "impls/impl.h"

#include <stdbool.h>

/* Kernels are written once for several cases, which are arguments: constant ones, once inlined. */
#define QS_INLINE static inline __attribute__((always_inline))

enum qs_width { QS_32, QS_64, QS_MANY_WORDS };

static inline size_t qs_word_size(enum qs_width width) {
    return width == QS_32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* The entries [begin, end) of a feature, ascending by threshold. NaN is false for all of them or
 * for none: where a feature has both kinds of nodes, it has two lists. */
struct qs_list {
    uint32_t feature;
    bool nan_left; /* false nodes are those with x > t; else those with !(x <= t) */
    size_t begin, end;
};

/* Consecutive trees: a unit. */
struct qs_block {
    enum qs_width width;
    size_t n_trees, n_lists, n_entries, n_words;
    struct qs_list *lists; /* of the features that the block uses */

    float *threshold; /* [n_entries] */
    void *mask;       /* [n_entries] uint32_t for QS_32, else uint64_t: the bits that stay */
    uint32_t *word;   /* [n_entries] the word of the leaf sets, times the scorer's lanes: leaf sets
                         of several documents lie side by side, [n_words][lanes] */

    uint32_t *output;      /* [n_trees] */
    uint32_t *first_word;  /* [n_trees] where a leaf set begins */
    uint32_t *first_value; /* [n_trees] where the values of its leaves begin in `value` */
    double *value;         /* of the leaves, tree by tree, from left to right */
};

struct qs_model {
    struct scorer scorer; /* .workspace holds the largest block's leaf sets */
    bool masked_store;    /* vqs-avx2's option store; else false */
    struct qs_block blocks[];
};

/* What an implementation of the family is like. */
struct qs_kind {
    const struct impl *impl;
    unsigned lanes;  /* leaf sets side by side: a power of two */
    unsigned step;   /* the documents of a good step: scorer.lanes; a multiple of `lanes` */
    bool blocks;     /* the standard tau is auto, else all */
    bool any_leaves; /* trees of more than 64 leaves, too; needs lanes of 1 */
};

/* The option tau. */
#define QS_TAU_PARAM(standard)                                                                     \
    {                                                                                              \
        "tau", "trees per block: a number, all, or auto: what suits the caches", "1 20 auto all",  \
            standard                                                                               \
    }
extern const struct impl_param qs_params[]; /* tau alone, all by default */

enum status qs_build(const struct qs_kind *kind, const struct ensemble *ensemble,
                     const struct options *options, struct scorer **scorer, struct error *error);
void qs_destroy(struct scorer *scorer);

#endif
