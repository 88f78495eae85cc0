/* Counts of the documents that pass each node: the probabilities of branches (struct ensemble,
 * node_count). */
#ifndef MODELS_PROFILE_H
#define MODELS_PROFILE_H

#include "base/status.h"
#include "models/ensemble.h"

/* Replaces the ensemble's counts by those of n_docs documents. Document i is at x + i * stride. On
 * failure, the ensemble is unchanged. */
enum status profile_count(struct ensemble *ensemble, const float *x, size_t stride, size_t n_docs,
                          struct error *error);

/* Moves the counts of another ensemble, which has the same trees. */
void profile_take(struct ensemble *ensemble, struct ensemble *from);

#endif
