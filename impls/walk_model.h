/* The ensemble as `interleaved` and `gather-*` walk it: one document down several trees at once.
 *
 * A node is one word of 32 bits, upper part first:
 *
 *     number | column | next
 *
 * A document has a word per column: the rank of its value among the thresholds of a feature, in the
 * bits of `number`. The left child lies `next` nodes behind the node, the right child behind that:
 *
 *     i += next + (word of the document > node)
 *
 * since the number of an inner node is the rank of its threshold. A leaf stays where it is: its
 * next is 0, and its column one whose word is always 0, so that its number is free to be that of
 * the leaf. Where NaN goes left at some nodes of a feature and right at others, these are two
 * columns.
 *
 * Trees come in blocks, the units of the scorer. In a block they are sorted by depth, so that trees
 * that are walked together need as many levels; their values wait in the workspace to be added in
 * the order of the trees. */
#ifndef IMPLS_WALK_MODEL_H
#define IMPLS_WALK_MODEL_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WALK_BLOCK = 128,  /* trees of a unit */
    WALK_SEARCHES = 4, /* columns of equal levels that are searched side by side */
    WALK_DOCS = 16     /* documents that go down a tree before it leaves the caches */
};

/* Bits of a node's parts; its number has the rest. */
struct walk_layout {
    uint32_t next, column;
};

/* Those that kernels may have code for. */
#define WALK_LAYOUTS                                                                               \
    {8, 8}, {12, 8}, {                                                                             \
        8, 12                                                                                      \
    }

static inline uint32_t walk_number_shift(struct walk_layout layout) {
    return layout.next + layout.column;
}

static inline uint32_t walk_mask(uint32_t bits) {
    return (1u << bits) - 1;
}

struct walk_column {
    uint32_t feature, levels;
    uint32_t first_threshold; /* of 2^levels - 1, ascending, filled up with infinities */
    uint32_t nan_rank;
};

/* As many trees as the kernel has lanes make a step. */
struct walk_block {
    uint32_t first_tree, n_trees, first_step, n_steps;
};

struct walk_model {
    struct scorer scorer;
    struct walk_block *blocks; /* [n_units] */
    uint32_t *output;          /* [n_trees] */

    uint32_t lanes;
    uint32_t *levels;      /* [steps] the depth of the step's deepest tree */
    uint32_t *root;        /* [steps * lanes] lanes that are left over repeat a tree */
    uint32_t *first_value; /* [steps * lanes] of the tree's leaves in `values` */
    uint32_t *slot;        /* [steps * lanes] the tree's number in its block */

    struct walk_layout layout;
    uint32_t *nodes; /* of all trees, each breadth first */
    double *values;  /* of the leaves */

    uint32_t n_columns;
    struct walk_column *columns; /* by ascending levels */
    float *thresholds;           /* of the columns */
};

/* The workspace: the values of a block's trees and the words of the columns, of each document. */
static inline size_t walk_row(const struct walk_model *model) {
    return (size_t)model->n_columns + 1; /* the last column is that of the leaves */
}

static inline size_t walk_workspace(const struct walk_model *model) {
    return WALK_DOCS * (WALK_BLOCK * sizeof(double) + walk_row(model) * sizeof(uint32_t));
}

enum status walk_build(const struct impl *impl, uint32_t lanes, const struct ensemble *ensemble,
                       struct scorer **scorer, struct error *error);
void walk_destroy(struct scorer *scorer);

#endif
