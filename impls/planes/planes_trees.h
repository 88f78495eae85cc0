/* Rearranges the trees of an ensemble for bit planes. Afterwards, trees of the same output are
 * consecutive, and no tree has more than PLANES_MAX_LEAVES leaves. A larger tree is cut into
 * pieces. A piece has a range of the leaves, all nodes above these leaves, and one leaf for each
 * omitted subtree. The value of that leaf is -0, which changes no sum, so scores stay equal bit for
 * bit. */
#ifndef IMPLS_PLANES_PLANES_TREES_H
#define IMPLS_PLANES_PLANES_TREES_H

#include "models/ensemble.h"

/* Do the trees already have the form that planes_trees_make produces? */
bool planes_trees_fit(const struct ensemble *ensemble);

/* Makes a rearranged copy. STATUS_UNSUPPORTED if the paths from the root are so long that pieces
 * would consist mostly of paths. `impl` is the name for the error's text. */
enum status planes_trees_make(const struct ensemble *ensemble, const char *impl,
                              struct ensemble **made, struct error *error);

#endif
