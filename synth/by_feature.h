/* The inner nodes of an ensemble, grouped by feature. */
#ifndef SYNTH_BY_FEATURE_H
#define SYNTH_BY_FEATURE_H

#include "base/random.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>

/* Lists only features that some node tests, because an ensemble with one node may have millions of
 * features. */
struct by_feature {
    size_t n_tested;
    uint32_t *tested; /* [n_tested] indices of the features, ascending */
    size_t *begin;    /* [n_tested + 1] first entry of each feature in `nodes` */
    size_t *nodes;    /* [n_nodes] indices of the ensemble's nodes, grouped by feature */
};

/* Returns false if out of memory. The caller must free `nodes` even then. */
bool by_feature_make(const struct ensemble *ensemble, struct by_feature *nodes);
void by_feature_free(struct by_feature *nodes);

/* Returns the threshold of a node, or a random cut of a set node. */
float by_feature_cut(const struct ensemble *ensemble, size_t node, struct random *random);

#endif
