/* Synthetic trees and documents, as asadi2014 section 4.1 makes them. The same seed gives the same
 * bytes on any machine. */
#ifndef SYNTH_SYNTH_H
#define SYNTH_SYNTH_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stdint.h>

struct synth_shape {
    uint32_t depth;      /* 0 .. 20; every tree has 2^depth leaves */
    uint32_t n_features; /* > 0 */
    uint32_t n_trees;    /* > 0 */
};

/* Fully balanced random trees: at each node a feature drawn at random, and a threshold drawn
 * inside the interval that the path from the root leaves for that feature, so that every leaf can
 * be reached even where a feature repeats on a path. Leaf values are drawn at random. */
enum status synth_trees(const struct synth_shape *shape, uint64_t seed, struct ensemble **ensemble,
                        struct error *error);

/* Documents generated leaf by leaf of the first tree and shuffled, so that n documents reach each
 * of its L leaves n / L times (the first n mod L leaves once more). Features that the path does not
 * test are drawn at random from the same range as the thresholds. */
enum status synth_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                            struct matrix **matrix, struct error *error);

/* Rows that break inexact traversals, for checking: random rows some of whose values are exactly
 * thresholds of the ensemble, one ulp to either side, +0, -0, +inf, -inf, subnormal, huge or NaN.
 * Where rows of so many features would take over 64 MiB and few features are tested, rows overlap:
 * the stride is then less than n_features, and only features that are tested have values of their
 * own. */
enum status synth_probes(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                         struct matrix **matrix, struct error *error);

/* Documents for a model that came without any: each value is the threshold of a random node that
 * tests its feature, and so of the right range and density; features are independent, which no real
 * ones are. Features that no node tests are 0. The note says so. */
enum status synth_threshold_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                                      struct matrix **matrix, struct error *error);

#endif
