/* The one comparison, for implementations that keep a feature and a threshold per node. */
#ifndef IMPLS_NODE_H
#define IMPLS_NODE_H

#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

/* Set in a node's feature when NaN goes left. Ensembles have far fewer than 2^31 features. */
#define NODE_NAN_LEFT 0x80000000u

/* Set, by who knows them, in the feature of a set node: impls/node_sets.h. */
#define NODE_IS_SET 0x40000000u

static inline uint32_t node_feature(const struct ensemble *e, size_t node) {
    return e->feature[node] | (e->nan_left[node] ? NODE_NAN_LEFT : 0);
}

/* Does the document go left? `any_nan_left` must be a constant where it is called: kernels exist
 * twice, and the one for ensembles without such nodes pays nothing. */
static inline bool node_goes_left(const float *x, uint32_t feature, float threshold,
                                  bool any_nan_left) {
    if (!any_nan_left)
        return x[feature] <= threshold;
    float value = x[feature & ~NODE_NAN_LEFT];
    return (value <= threshold) | ((feature >> 31) & (unsigned)(value != value));
}

#endif
