/* The data that `rank-levels-*` read, which take one document down 16 to 64 trees at once, a byte a
 * tree.
 *
 * A tree of a block is padded to a perfect tree of the block's depth. On each level, the nodes with
 * the same index of 64 trees are side by side. The results of the levels above choose one of the
 * nodes of the level for each tree. The chosen nodes are then looked up and compared, as bytes of
 * ranks (rank_bytes_types.h). Nothing is read at an address that depends on the document, except
 * the document's bytes in registers and the values of the exit leaves. */
#ifndef IMPLS_WALKS_RANK_LEVELS_MODEL_H
#define IMPLS_WALKS_RANK_LEVELS_MODEL_H

#include "impls/walks/rank_bytes_model.h"

enum {
    LEVEL_BLOCKS = 8,   /* that a document goes through together */
    LEVEL_TREES = 64,   /* trees of a block, which is a unit */
    LEVEL_MAX_DEPTH = 8 /* the index of a leaf is a byte */
};

/* The nodes with the same index of all trees of a block. Trees are padded with thresholds that no
 * byte exceeds. */
struct level_nodes {
    uint8_t column[LEVEL_TREES];
    int8_t threshold[LEVEL_TREES]; /* minus 128, because AVX2 compares signed bytes */
} __attribute__((aligned(64)));

struct level_block {
    uint32_t first_tree, n_trees;
    uint32_t depth;
    size_t first_node;  /* index in `nodes`; level l has 2^l of them, from 2^l - 1 on */
    size_t first_value; /* index in `values`; there are LEVEL_TREES for each of 2^depth leaves */
};

/* Only the columns of `ranks` are used. */
struct level_model {
    struct rank_model ranks;
    struct level_block *blocks; /* [units] */
    struct level_nodes *nodes;
    double *values;
    uint32_t *output; /* [n_trees] */
};

impl_build level_build;
enum status level_spread(const struct scorer *scorer, struct spread *spread, struct error *error);

#endif
