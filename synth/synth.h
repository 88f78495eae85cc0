/* Synthetic trees and documents, as in asadi2014, section 4.1. The same seed gives the same bytes
 * on any machine. */
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

/* Creates perfectly balanced random trees. Each node tests a random feature. Its threshold is
 * inside the interval that the tests above the node leave for that feature. Every leaf can
 * therefore be reached, even if a feature repeats on a path. Leaf values are random. */
enum status synth_trees(const struct synth_shape *shape, uint64_t seed, struct ensemble **ensemble,
                        struct error *error);

/* Creates n_rows documents in random order that reach the leaves of the first tree equally often.
 * With L leaves, each leaf is reached by n_rows / L documents, and the first n_rows mod L leaves by
 * one more. Features that the path to the leaf does not test are random numbers in [0, 1). */
enum status synth_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                            struct matrix **matrix, struct error *error);

/* Labels the documents of synth_documents with relevance grades 0 to 4. Higher grades are rarer.
 * Labels depend on some features and on noise. The rule depends on n_features but not on the seed;
 * the noise depends on the seed. */
enum status synth_labels(struct matrix *documents, uint64_t seed, struct error *error);

/* Creates rows that reveal inexact traversals, for checks. Rows are random, but some values equal a
 * threshold of the ensemble or are one ulp below or above a threshold. Other values are zeros,
 * infinities, subnormal, huge or NaN. If the rows would take over 64 MiB and few features are
 * tested, rows overlap in memory. The stride is then less than n_features, and rows share the
 * values of features that are not tested. */
enum status synth_probes(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                         struct matrix **matrix, struct error *error);

/* Creates documents for a model without documents. Each value is the threshold of a random node
 * that tests its feature, so the range and the density of values are plausible. Unlike in real
 * data, features are independent. Features that no node tests are 0. The note of the matrix states
 * how the documents were made. */
enum status synth_threshold_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                                      struct matrix **matrix, struct error *error);

#endif
