/* Counts the nodes that decide how much work QuickScorer and its descendants have. */
#ifndef HARNESS_MEASURE_FALSE_NODES_H
#define HARNESS_MEASURE_FALSE_NODES_H

#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

struct false_nodes {
    size_t documents; /* number of documents that were tested */
    double per_tree;  /* mean number of false nodes per tree and document; NaN without trees */
    double share;     /* share of all inner nodes that are false; NaN without inner nodes */
};

/* An inner node is false for a document if the document would go right there, even if the
 * document's path does not reach the node (lettich2018, section 2.1). Tests every inner node on
 * every document. If these are more than `max_tests` tests, uses only some documents, at least one,
 * spread evenly. The documents have at least as many features as the model. */
struct false_nodes false_nodes_count(const struct ensemble *ensemble,
                                     const struct matrix *documents, uint64_t max_tests);

#endif
