/* The model and the documents of a workload. */
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
    size_t n_loaded, n_queries; /* of the loaded documents, of which `documents` shows the first */
};

/* Makes or loads the inputs of a workload. Trained models are kept in `directory`. *inputs must be
 * zeros before the first call. Later calls reuse the inputs of the same workload and free those of
 * any other. */
enum status workload_make_inputs(const char *directory, const struct workload *workload,
                                 struct workload_inputs *inputs, struct error *error);
void workload_free_inputs(struct workload_inputs *inputs);

/* Returns true if the workloads have the same inputs. workload_same_except_trees ignores the number
 * of trees, and the number of documents if the same documents are loaded for both. */
bool workload_same(const struct workload *a, const struct workload *b);
bool workload_same_except_trees(const struct workload *a, const struct workload *b);

#endif
