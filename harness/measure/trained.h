/* Models trained for the experiments. */
#ifndef HARNESS_MEASURE_TRAINED_H
#define HARNESS_MEASURE_TRAINED_H

#include "base/status.h"
#include "datasets/folds.h"
#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

enum { TRAINED_STANDIN_ROWS = 10000 };

/* Loads the model of a workload of kind "trained", and its test documents. If DIRECTORY/models/ has
 * no such model, trains it and keeps it there.
 *
 * The workload's trial is the fold. Training is LambdaMART with `trees` trees of at most
 * `max_leaves` leaves. With `patience`, the fold's validation documents stop training early. The
 * seed is derived from the workload's seed and the fold. The documents come from fold_read. If the
 * data set is not on this machine, a stand-in of the same shape replaces it, with at most
 * TRAINED_STANDIN_ROWS training documents. At most `documents` test documents are returned (0:
 * all), in whole queries. The caller frees both results. */
enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error);

/* Keeps the whole queries among the first `limit` documents (0: all), but at least one query. */
void trained_keep_first(struct matrix *documents, uint64_t limit);

/* Like trained_load, but loads only the documents. */
enum status trained_documents(const struct workload *workload, struct matrix **documents,
                              struct error *error);

/* A model and all parts of its fold. */
struct trained {
    struct fold fold;
    struct ensemble *ensemble;
};

/* Like trained_load, but returns all parts of the fold. Freed by trained_free. */
enum status trained_make(const char *directory, const struct workload *workload,
                         struct trained *trained, struct error *error);
void trained_free(struct trained *trained);

#endif
