/* Grows large ensembles in seconds, for measuring speed. Their predictions mean nothing. The note
 * and the origin of the ensemble, which the model file and `treebench info` show, state this. */
#ifndef SYNTH_GROWN_H
#define SYNTH_GROWN_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stdint.h>

enum {
    GROWN_MAX_LEAVES = 4096,
    /* Each tree grows on a random sample of GROWN_ROWS documents, or of all documents if there are
     * fewer. If there are enough documents, a sample is larger if necessary: it has at least
     * GROWN_ROWS_PER_LEAF documents per requested leaf. */
    GROWN_ROWS = 4096,
    GROWN_ROWS_PER_LEAF = 32
};

struct grown_shape {
    uint32_t n_trees;
    /* 2 .. GROWN_MAX_LEAVES. A tree has fewer leaves if the documents are too few or too similar.
     */
    uint32_t max_leaves;
};

/* Grows random trees with the shape of LambdaMART's: leaf by leaf, the leaf with the largest gain
 * first, on up to 255 quantiles of each feature. The gain of a leaf is not computed. It is random,
 * scaled by the fourth root of the leaf's number of documents. At most nodes, a share of 0 to 8 %
 * of the documents goes right; at one node in 32, this share goes left. If no feature that was
 * tried has such a threshold, another one is used. A document therefore has few false nodes, as in
 * trained trees. Some features are drawn more often than others, as in trained models. The counts
 * of nodes are those of the tree's sample. NaN goes right. If only n_trees differs, the smaller
 * ensemble equals the first trees of the larger one. */
enum status synth_grown(const struct matrix *documents, const struct grown_shape *shape,
                        uint64_t seed, struct ensemble **ensemble, struct error *error);

/* Enlarges an ensemble by repeating its trees. jin2016, section 5, makes its largest ensembles by
 * bagging, which combines several boosted ensembles. Here, all combined ensembles are copies of the
 * same one, and leaf values are divided by the number of copies, n_trees / the original number of
 * trees. If n_trees is a multiple of the original number of trees, the scores stay equal except for
 * rounding. Otherwise, the last copy is incomplete. */
enum status synth_copies(const struct ensemble *ensemble, uint32_t n_trees,
                         struct ensemble **copies, struct error *error);

/* Bagging (jin2016 section 5.1): an ensemble of all trees of the members, which predicts the mean
 * of their predictions. The members have the same features and outputs. */
enum status synth_bag(const struct ensemble *const *members, uint32_t n_members,
                      struct ensemble **bag, struct error *error);

#endif
