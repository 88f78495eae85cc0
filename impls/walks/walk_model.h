/* The data structure of `interleaved` and `gather-*`, which take one document down several trees at
 * once.
 *
 * A node is one word of 32 bits with three parts, the highest first:
 *
 *     number | column | next
 *
 * A document has a word per column. In that word, the bits of `number` are the rank of the
 * document's value among the thresholds of a feature, and all other bits are 0. The `number` of an
 * inner node is the rank of the node's threshold. The left child is `next` nodes after the node,
 * and the right child follows the left child. The move from node i to a child is therefore
 *
 *     i += next + (word of the document > node)
 *
 * A walk stays at a leaf, because a leaf's `next` is 0 and the word of a leaf's column is always 0.
 * The `number` of a leaf can therefore be the index of the leaf in its tree. A feature has two
 * columns if NaN goes left at some nodes and right at others.
 *
 * Trees are grouped into blocks, which are the units of the scorer. The trees of a block are sorted
 * by depth, so that trees walked together have about the same number of levels. The values of the
 * exit leaves are stored in the workspace and then added in the original order of the trees. */
#ifndef IMPLS_WALKS_WALK_MODEL_H
#define IMPLS_WALKS_WALK_MODEL_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WALK_BLOCK = 128,  /* trees per unit */
    WALK_SEARCHES = 4, /* columns with the same number of levels that are searched together */
    WALK_DOCS = 16     /* documents that go down a step's trees, one after the other */
};

/* The widths of a node's parts in bits. `number` has the remaining bits. */
struct walk_layout {
    uint32_t next, column;
};

/* Layouts for which kernels may have specialised code. */
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
    uint32_t first_threshold; /* index of the first of 2^levels - 1 thresholds, ascending, padded
                                 with infinities */
    uint32_t nan_rank;
};

/* The trees of a block are divided into steps. A step has one tree for each lane of the kernel. */
struct walk_block {
    uint32_t first_tree, n_trees, first_step, n_steps;
};

struct walk_model {
    struct scorer scorer;
    struct walk_block *blocks; /* [n_units] */
    uint32_t *output;          /* [n_trees] */

    uint32_t lanes;
    uint32_t *levels;      /* [steps] the depth of the step's deepest tree */
    uint32_t *root;        /* [steps * lanes] index in `nodes`; unused lanes repeat a tree */
    uint32_t *first_value; /* [steps * lanes] index of the tree's first leaf in `values` */
    uint32_t *slot;        /* [steps * lanes] the tree's index in its block */

    struct walk_layout layout;
    uint32_t *nodes; /* of all trees, each breadth first */
    double *values;  /* of the leaves */

    uint32_t n_columns;
    struct walk_column *columns; /* by ascending levels */
    float *thresholds;           /* of the columns */
};

/* The workspace has, for each document, the values of a block's trees and the words of the columns.
 */
static inline size_t walk_row(const struct walk_model *model) {
    return (size_t)model->n_columns + 1; /* the last column belongs to leaves */
}

static inline size_t walk_workspace(const struct walk_model *model) {
    return WALK_DOCS * (WALK_BLOCK * sizeof(double) + walk_row(model) * sizeof(uint32_t));
}

enum status walk_build(const struct impl *impl, uint32_t lanes, const struct ensemble *ensemble,
                       struct scorer **scorer, struct error *error);
enum status walk_spread(const struct scorer *scorer, struct spread *spread, struct error *error);

#endif
