/* The nodes of PRED and VPRED: asadi2014 section 3, figure 1. Breadth first, leaves among them; a
 * leaf's children are itself, so that a step too many stays where it is. */
#ifndef IMPLS_PRED_NODES_H
#define IMPLS_PRED_NODES_H

#include "impls/node.h"
#include "impls/pred_scorer.h"

struct pred_node {
    uint32_t feature; /* with NODE_NAN_LEFT where it applies; 0 in a leaf */
    float threshold;
    uint32_t index[2]; /* left, right: nodes of the same tree */
};

/* The paper goes right when x >= t, we when x <= t does not hold: NaN too goes right. */
static inline uint32_t pred_node_step(const void *nodes, const float *x, uint32_t i,
                                      bool any_nan_left) {
    const struct pred_node *node = (const struct pred_node *)nodes + i;
    return node->index[!node_goes_left(x, node->feature, node->threshold, any_nan_left)];
}

enum status pred_nodes_build(const struct ensemble *ensemble, struct pred_scorer **scorer,
                             struct error *error);

/* Kernels of one lane, which PRED consists of and VPRED ends with; [1] knows nan_left. */
extern const struct pred_kernels pred_kernels_1[2];

#endif
