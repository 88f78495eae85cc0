/* The comparison at a node, for implementations that store a feature and a threshold per node. */
#ifndef IMPLS_SHARED_NODE_H
#define IMPLS_SHARED_NODE_H

#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

/* This bit is set in a node's feature if NaN goes left. Feature numbers are below
 * ENSEMBLE_MAX_FEATURES, so their two highest bits are always free. */
#define NODE_NAN_LEFT 0x80000000u

/* Implementations that support sets set this bit in the feature of a set node
 * (impls/shared/node_sets.h). */
#define NODE_IS_SET 0x40000000u

static inline uint32_t node_feature(const struct ensemble *e, size_t node) {
    return e->feature[node] | (e->nan_left[node] ? NODE_NAN_LEFT : 0);
}

/* Does the document go left? Callers are compiled twice, with a constant `any_nan_left` of true and
 * of false, so that ensembles that never send NaN left have no extra cost. */
static inline bool node_goes_left(const float *x, uint32_t feature, float threshold,
                                  bool any_nan_left) {
    if (!any_nan_left)
        return x[feature] <= threshold;
    float value = x[feature & ~NODE_NAN_LEFT];
    return (value <= threshold) | ((feature >> 31) & (unsigned)(value != value));
}

#endif
