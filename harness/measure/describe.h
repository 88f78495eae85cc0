/* Facts about the model and the documents of a cell, for its rows. */
#ifndef HARNESS_MEASURE_DESCRIBE_H
#define HARNESS_MEASURE_DESCRIBE_H

#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

/* Replaces the requested depth, features and documents in each row by the actual numbers. Adds the
 * notes, the number of trees, the mean length of paths, the share of left turns and the false
 * nodes. */
void describe_workload(const struct ensemble *ensemble, const struct matrix *documents,
                       struct row *rows, size_t n);

/* The nodes that decide how much work QuickScorer and its descendants have. */
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
