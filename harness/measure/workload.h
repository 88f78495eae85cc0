/* Makes the model and the documents of a workload. */
#ifndef HARNESS_MEASURE_WORKLOAD_H
#define HARNESS_MEASURE_WORKLOAD_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct workload_inputs {
    struct workload workload;
    struct ensemble *ensemble;
    struct matrix *documents;
    /* documents and queries that were loaded; `documents` may show only the first of them */
    size_t n_loaded, n_queries;
};

/* Makes or loads the model and the documents of a workload. Trained models are stored in
 * `directory`. *inputs must be all zeros before the first call. Later calls reuse *inputs if the
 * workload allows it, and otherwise free and replace them. */
enum status workload_make_inputs(const char *directory, const struct workload *workload,
                                 struct workload_inputs *inputs, struct error *error);
void workload_free_inputs(struct workload_inputs *inputs);

/* Returns true if two workloads have the same model and the same documents.
 * workload_same_except_trees ignores the number of trees. It also ignores the number of documents
 * if both workloads load the same documents. */
bool workload_same(const struct workload *a, const struct workload *b);
bool workload_same_except_trees(const struct workload *a, const struct workload *b);

#endif
