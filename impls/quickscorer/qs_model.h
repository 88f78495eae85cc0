/* The data structure of QuickScorer, ordered by features instead of trees. lettich2018 section 2.1.
 *
 * A node is *false* for a document that goes right there. Then no leaf of the node's left subtree
 * can be the exit leaf. A tree's leaf set has a bit for each leaf. All bits are set at first. Each
 * false node clears the bits of its left subtree. The leftmost leaf whose bit remains set is the
 * exit leaf. The order of the nodes does not matter. Therefore the nodes of all trees of a block
 * are visited feature by feature, in ascending order of their thresholds. The first node that is
 * not false ends the feature's list.
 *
 * Bit i is leaf i from the left. The leftmost leaf is the lowest bit, which one instruction finds
 * (tzcnt); the paper uses the highest bit. A leaf set is one word of 32 or 64 bits, or several
 * words of 64 bits if a tree of the block has more than 64 leaves. An entry of a list clears bits
 * of one word. A node whose left subtree spans several words has an entry for each word. So only
 * the search for exit leaves has to know that a leaf set has several words. */
#ifndef IMPLS_QUICKSCORER_QS_MODEL_H
#define IMPLS_QUICKSCORER_QS_MODEL_H

#include "impls/impl.h"

#include <stdbool.h>

/* Kernels are written once for several cases, such as the widths of leaf sets. The case is an
 * argument that becomes a constant after inlining. */
#define QS_INLINE static inline __attribute__((always_inline))

enum qs_width { QS_32, QS_64, QS_MANY_WORDS };

static inline size_t qs_word_size(enum qs_width width) {
    return width == QS_32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* The entries [begin, end) of a feature, with ascending thresholds. Either all nodes of a list are
 * false for NaN, or none is. A feature with both kinds of nodes has two lists. The entry after a
 * list has an infinite threshold, which no value exceeds. */
struct qs_list {
    uint32_t feature;
    bool nan_left; /* if set, a node is false if x > t; otherwise if !(x <= t) */
    size_t begin, end;
};

/* Consecutive trees: a unit of the scorer. */
struct qs_block {
    enum qs_width width;
    size_t n_trees, n_lists, n_entries, n_words;
    struct qs_list *lists; /* of the features that the block's nodes test */

    float *threshold; /* [n_entries] */
    void *mask;       /* [n_entries] uint32_t for QS_32, else uint64_t: the bits to keep */
    uint32_t *word; /* [n_entries] Index of the word in the leaf sets, times qs_kind.lanes, because
                       the leaf sets of several documents are interleaved: [n_words][lanes]. */

    uint32_t *output;      /* [n_trees] */
    uint32_t *first_word;  /* [n_trees] index of the first word of the tree's leaf set */
    uint32_t *first_value; /* [n_trees] index of the tree's first leaf in `value` */
    double *value;         /* leaf values, tree by tree, from left to right */
};

struct qs_model {
    struct scorer scorer; /* .workspace holds the largest block's leaf sets */
    bool masked_store;    /* option `store` of vqs-avx2; false for other implementations */
    struct qs_block blocks[];
};

/* What distinguishes an implementation from others of the QuickScorer family. */
struct qs_kind {
    unsigned lanes;  /* documents whose leaf sets are interleaved: a power of two */
    unsigned step;   /* documents per step (scorer.lanes): a multiple of `lanes` */
    bool blocks;     /* the default tau is auto; if false, it is all */
    bool any_leaves; /* supports trees of more than 64 leaves; requires `lanes` to be 1 */
};

/* The option tau. */
#define QS_TAU_PARAM(standard)                                                                     \
    {                                                                                              \
        "tau", "trees per block: a number, all, or auto (blocks that fit the caches)",             \
            "1 20 auto all", standard                                                              \
    }
extern const struct impl_param qs_params[]; /* only tau, with the default `all` */

/* Does the work of `build` for all implementations of the family. */
enum status qs_build(const struct impl *impl, const struct qs_kind *kind,
                     const struct ensemble *ensemble, const struct options *options,
                     struct scorer **scorer, struct error *error);

#endif
