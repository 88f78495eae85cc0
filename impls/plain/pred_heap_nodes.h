/* The nodes of PRED-HEAP and VPRED-HEAP: a perfect binary heap (asadi2012). The children of node i
 * are nodes 2i + 1 and 2i + 2. A leaf above the heap's last level is replaced by a subtree of dummy
 * nodes. All leaves of that subtree have the original leaf's value, so it does not matter where a
 * dummy node sends a document. */
#ifndef IMPLS_PLAIN_PRED_HEAP_NODES_H
#define IMPLS_PLAIN_PRED_HEAP_NODES_H

#include "impls/plain/pred_scorer.h"
#include "impls/shared/node.h"

struct pred_heap_node {
    uint32_t feature; /* with NODE_NAN_LEFT if NaN goes left; 0 in a dummy node */
    float threshold;
};

static inline uint32_t pred_step(const void *nodes, const float *x, uint32_t i, bool any_nan_left) {
    const struct pred_heap_node *node = (const struct pred_heap_node *)nodes + i;
    return 2 * i + 1 + !node_goes_left(x, node->feature, node->threshold, any_nan_left);
}

enum { PRED_HEAP_MAX_DEPTH = 20 };
#define PRED_HEAP_MAX_BYTES ((size_t)1 << 30)

/* STATUS_UNSUPPORTED if a tree is deeper than PRED_HEAP_MAX_DEPTH,
 * or if the heaps of all trees are larger than PRED_HEAP_MAX_BYTES. */
pred_nodes_builder pred_heap_nodes_build;

/* Kernels of one lane: [0] for ensembles whose nodes all send NaN right, [1] for other ensembles.
 */
extern const struct pred_kernels pred_heap_kernels_1[2];

#endif
