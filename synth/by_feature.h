/* The inner nodes of an ensemble, feature by feature. Private to synth/. */
#ifndef SYNTH_BY_FEATURE_H
#define SYNTH_BY_FEATURE_H

#include "base/random.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>

/* Only of features that are tested: an ensemble of one node may have millions. */
struct by_feature {
    size_t n_tested;
    uint32_t *tested; /* [n_tested] the features, ascending */
    size_t *begin;    /* [n_tested + 1] where each one's nodes begin in: */
    size_t *nodes;    /* [n_nodes] nodes of the ensemble */
};

/* False where there is no memory; it may be freed all the same. */
bool by_feature_make(const struct ensemble *ensemble, struct by_feature *nodes);
void by_feature_free(struct by_feature *nodes);

/* The threshold of a node; of a set node one of its cuts. */
float by_feature_cut(const struct ensemble *ensemble, size_t node, struct random *random);

#endif
