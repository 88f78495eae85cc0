/* The tree-blocks of GPU-QuickScorer (lettich2018 section 6.1), in host memory.
 *
 * A node is false for a document that goes right there. An entry stands for a node: if it is false,
 * the document's exit leaf is none of the leaves in the node's left subtree, so `mask` clears their
 * bits in the leaf set of the entry's tree. Bit i is leaf i from the left; after all false nodes,
 * the lowest bit that remains is the exit leaf. The paper counts from the highest bit instead.
 *
 * The entries of a block are sorted by feature, side of NaN and threshold. A list has the entries
 * of one feature and one side of NaN, so the false nodes of a list are always its first ones. All
 * trees of a block add to the same output. */
#ifndef IMPLS_GPU_QS_BLOCKS_H
#define IMPLS_GPU_QS_BLOCKS_H

#include "base/memory.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

enum { QS_BLOCKS_LEAVES = 64, QS_BLOCKS_WORD = 32 };

struct qs_tree_block {
    uint32_t n_trees, n_lists, n_entries, output;
    uint32_t *list_feature;  /* [n_lists] */
    uint32_t *list_nan_left; /* [n_lists] 1 if NaN goes left, so that no entry is false for NaN */
    uint32_t *list_begin;    /* [n_lists + 1] */
    int32_t *threshold;      /* [n_entries] float_key of the threshold */
    uint32_t *mask;          /* [n_entries][words] the bits that a false node keeps */
    uint16_t *tree;          /* [n_entries] number of the tree within the block */
    double *values;          /* [n_trees][32 * words] leaf values, padded with 0 */
};

struct qs_tree_blocks {
    uint32_t words; /* 32-bit words per leaf set: 1 or 2 */
    size_t n_blocks;
    struct qs_tree_block *blocks; /* by output, and then in the order of the trees */
    struct memory_pool pool;      /* of all arrays */
};

/* The most leaves of a tree, rounded up to 32 or 64. 0, with the error, if a tree has more. */
unsigned qs_blocks_leaves(const struct ensemble *ensemble, const char *impl, struct error *error);

/* The most trees of an output. */
size_t qs_blocks_most_trees(const struct ensemble *ensemble);

/* Makes blocks of `tau` trees; the last block of an output may have fewer. `tau` is at most 65,536.
 * `leaves` is from qs_blocks_leaves. Free the pool of the blocks in any case. */
enum status qs_blocks_build(const struct ensemble *ensemble, size_t tau, unsigned leaves,
                            struct qs_tree_blocks *blocks, struct error *error);

#endif
