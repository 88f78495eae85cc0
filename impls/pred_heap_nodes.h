/* The nodes of PRED-HEAP and VPRED-HEAP: a perfect binary heap (asadi2012), the children of node i
 * at 2i + 1 and 2i + 2. Above its last level every shorter branch is filled up with dummy nodes,
 * and all leaves below one hold the value of the leaf that it stands for: where it sends a document
 * does not matter. */
#ifndef IMPLS_PRED_HEAP_NODES_H
#define IMPLS_PRED_HEAP_NODES_H

#include "impls/node.h"
#include "impls/pred_scorer.h"

struct pred_heap_node {
    uint32_t feature; /* with NODE_NAN_LEFT where it applies; 0 in a dummy node */
    float threshold;
};

static inline uint32_t pred_heap_node_step(const void *nodes, const float *x, uint32_t i,
                                           bool any_nan_left) {
    const struct pred_heap_node *node = (const struct pred_heap_node *)nodes + i;
    return 2 * i + 1 + !node_goes_left(x, node->feature, node->threshold, any_nan_left);
}

/* STATUS_UNSUPPORTED when a tree is deeper than PRED_HEAP_MAX_DEPTH, or the heaps together are
 * larger than PRED_HEAP_MAX_BYTES. */
enum { PRED_HEAP_MAX_DEPTH = 20 };
#define PRED_HEAP_MAX_BYTES ((size_t)1 << 30)
enum status pred_heap_nodes_build(const struct ensemble *ensemble, struct pred_scorer **scorer,
                                  struct error *error);

/* Kernels of one lane; [1] knows nan_left. */
extern const struct pred_kernels pred_heap_kernels_1[2];

#endif
