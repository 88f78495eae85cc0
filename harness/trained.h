/* Models trained for the experiments. */
#ifndef HARNESS_TRAINED_H
#define HARNESS_TRAINED_H

#include "base/status.h"
#include "datasets/folds.h"
#include "datasets/matrix.h"
#include "harness/row.h"
#include "models/ensemble.h"

/* The model trained for a workload of kind "trained", and its test documents. Trains it, and keeps
 * it in DIRECTORY/models/, where it is not there yet.
 *
 * The workload's trial is the fold. Training is LambdaMART with `trees` trees of at most
 * `max_leaves` leaves or, with `patience`, fewer: stopped early by the fold's validation documents.
 * Its seed is derived from the workload's and the fold. The documents are those of fold_read, or,
 * where the data set is not on this machine, a stand-in of its shape, but of at most
 * TRAINED_STANDIN_ROWS documents to train on.
 * Of the test documents, `documents` are given at most (0: all), in whole queries. */
enum { TRAINED_STANDIN_ROWS = 10000 };

enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error);

/* Leaves the first `limit` documents (0: all), less a query that would be cut; but at least one
 * query. */
void trained_keep_first(struct matrix *documents, uint64_t limit);

/* The documents of trained_load without a model. */
enum status trained_documents(const struct workload *workload, struct matrix **documents,
                              struct error *error);

/* The same with the documents that it was trained on. */
struct trained {
    struct fold fold;
    struct ensemble *ensemble;
};
enum status trained_make(const char *directory, const struct workload *workload,
                         struct trained *trained, struct error *error);
void trained_free(struct trained *trained);

#endif
