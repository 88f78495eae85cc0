/* Big ensembles without days of training, for measurements of speed: what they predict means
 * nothing. Their note, which the model file and `treebench info` show, says what they are. */
#ifndef SYNTH_GROWN_H
#define SYNTH_GROWN_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stdint.h>

enum {
    GROWN_MAX_LEAVES = 4096,
    GROWN_ROWS = 4096, /* documents that each tree grows on, drawn from all; or all, where fewer */
    GROWN_ROWS_PER_LEAF = 32 /* but at least so many for each leaf that is asked for */
};

struct grown_shape {
    uint32_t n_trees;
    uint32_t max_leaves; /* 2 .. GROWN_MAX_LEAVES; fewer where the documents do not tell apart, or
                            are too few for 20 in each leaf */
};

/* Random trees with the shape of LightGBM's: grown leaf by leaf, the leaf with the largest gain
 * first, on up to 255 quantiles of each feature of the documents, every leaf with at least 20
 * documents of the tree's sample. Only the gains are not computed but drawn, in proportion to a
 * leaf's documents. Features are drawn unevenly, as in trained models. Nodes carry the counts of
 * the sample. NaN goes right. Of two ensembles that differ in n_trees alone the smaller is the
 * beginning of the larger. */
enum status synth_grown(const struct matrix *documents, const struct grown_shape *shape,
                        uint64_t seed, struct ensemble **ensemble, struct error *error);

/* jin2016, section 5, makes its largest ensembles by bagging: several boosted ensembles, combined.
 * Here the ensembles are copies of one, each divided by their number, so that the scores stay (but
 * for rounding) where n_trees is a multiple of the model's; else the last copy is cut. */
enum status synth_copies(const struct ensemble *ensemble, uint32_t n_trees,
                         struct ensemble **copies, struct error *error);

#endif
