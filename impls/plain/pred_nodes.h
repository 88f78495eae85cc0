/* The nodes of PRED and VPRED: asadi2014 section 3, figure 1. Inner nodes and leaves are in one
 * array, breadth first. A leaf is its own left and right child, so extra steps stay at the leaf. */
#ifndef IMPLS_PLAIN_PRED_NODES_H
#define IMPLS_PLAIN_PRED_NODES_H

#include "impls/plain/pred_scorer.h"
#include "impls/shared/node.h"

struct pred_node {
    uint32_t feature; /* with NODE_NAN_LEFT if NaN goes left; 0 in a leaf */
    float threshold;
    uint32_t index[2]; /* the left and the right child: nodes of the same tree */
};

/* The child of node i to which the document goes. In the paper, a document goes right if x >= t.
 * Here it goes right if x <= t is false, so NaN goes right unless the node sends NaN left. */
static inline uint32_t pred_step(const void *nodes, const float *x, uint32_t i, bool any_nan_left) {
    const struct pred_node *node = (const struct pred_node *)nodes + i;
    return node->index[!node_goes_left(x, node->feature, node->threshold, any_nan_left)];
}

pred_nodes_builder pred_nodes_build;

/* Kernels of one lane: [0] for ensembles whose nodes all send NaN right, [1] for other ensembles.
 * PRED uses only these kernels; VPRED uses them for the last documents of a call. */
extern const struct pred_kernels pred_kernels_1[2];

#endif
