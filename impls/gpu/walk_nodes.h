/* Trees as packed nodes of 8 bytes, in chunks that fit in a device's shared memory. In host memory.
 *
 * An inner node has the key of its threshold (float_key.h), and in the second number its feature
 * (bits 0 to 14), whether NaN goes left (bit 15) and its left child (bits 16 to 31, counted from
 * the start of the chunk). The right child follows the left one. A leaf has the index of its value,
 * and the feature 0x7fff. */
#ifndef IMPLS_GPU_WALK_NODES_H
#define IMPLS_GPU_WALK_NODES_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

enum { WALK_NODE_BYTES = 8, WALK_LEAF = 0x7fff, WALK_NAN_LEFT = 0x8000 };

struct walk_node {
    uint32_t key; /* or the index of a leaf's value */
    uint32_t links;
};

struct walk_nodes {
    uint32_t n_chunks, most_nodes; /* most_nodes: of a chunk */
    uint32_t *chunk_tree;          /* [n_chunks + 1] first tree */
    uint32_t *chunk_node;          /* [n_chunks + 1] first node */
    uint32_t *tree_root;           /* [n_trees] root, counted from the start of the chunk */
    struct walk_node *nodes;       /* [chunk_node[n_chunks]] */
};

/* Packs the trees into chunks of about `usual` bytes. A tree that is larger gets a chunk of its
 * own, of at most `limit` bytes. STATUS_UNSUPPORTED if a tree is larger than that, or a feature's
 * number too large. */
enum status walk_nodes_build(const struct ensemble *ensemble, size_t usual, size_t limit,
                             struct walk_nodes *walk, struct error *error);
void walk_nodes_free(struct walk_nodes *walk);

#endif
