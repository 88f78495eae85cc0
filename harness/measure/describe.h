/* Facts about the model and the documents of a cell, for its rows. */
#ifndef HARNESS_MEASURE_DESCRIBE_H
#define HARNESS_MEASURE_DESCRIBE_H

#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

/* Replaces the requested depth, features and documents in each row by the actual numbers. Adds the
 * notes, the number of trees, the mean length of paths, the share of left turns and the false
 * nodes. */
void describe_workload(const struct ensemble *ensemble, const struct matrix *documents,
                       struct row *rows, size_t n);

#endif
