/* The trees of an ensemble as bit planes want them: the trees of an output together, and none with
 * more than PLANES_MAX_LEAVES leaves. A larger tree is cut into pieces, each for a range of its
 * leaves: all nodes above those, and one leaf for whatever subtree lies beside. That leaf is -0,
 * which changes no sum, not even of -0: scores stay the same to the last bit. */
#ifndef IMPLS_PLANES_TREES_H
#define IMPLS_PLANES_TREES_H

#include "models/ensemble.h"

/* Are they so already? */
bool planes_trees_fit(const struct ensemble *ensemble);

/* A copy of the ensemble whose trees are. STATUS_UNSUPPORTED, in the name of `impl`, where paths
 * are so long that the pieces would be of little but paths. */
enum status planes_trees_make(const struct ensemble *ensemble, const char *impl,
                              struct ensemble **made, struct error *error);

#endif
