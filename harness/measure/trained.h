/* Models that are trained for experiments, and kept in files. */
#ifndef HARNESS_MEASURE_TRAINED_H
#define HARNESS_MEASURE_TRAINED_H

#include "base/status.h"
#include "datasets/folds.h"
#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRAINED_STANDIN_ROWS = 10000 };

/* Drops queries, or documents without queries, from the end until at most `limit` documents remain
 * (0: no limit). At least one query remains. */
void documents_keep_first(struct matrix *documents, uint64_t limit);

/* Loads the model and the test documents of a workload of a trained kind, or of a forest
 * (harness/rows/point.h). If DIRECTORY/models/ does not contain the model, trains it and stores it
 * there. The caller frees both results.
 *
 * Forests are trained by forest_train, on documents of forest_read_fold. They have no validation
 * part and no stand-ins. For trained kinds:
 *
 * The workload's trial is the fold. Training is LambdaMART with at most `trees` trees of at most
 * `max_leaves` leaves. If `patience` is not 0, the fold's validation documents stop training early.
 * The seed is derived from the workload's seed and the fold. Documents come from fold_read. If this
 * machine lacks the data set, a stand-in of the same shape takes its place, with at most
 * TRAINED_STANDIN_ROWS training documents, or three times as many for the kinds that
 * train on all cores. At most `documents` test documents are returned (0:
 * all), in whole queries if there are queries.
 *
 * The kinds differ in the parameters of LambdaMART, and in how models of many trees are made (the
 * table of trained.c). "boosted" models are kept with all their trees: models of fewer trees are
 * their first ones, and an interrupted training goes on. */
enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error);

/* Loads only the test documents of any kind of workload on a data set. */
enum status trained_load_documents(const struct workload *workload, struct matrix **documents,
                                   struct error *error);

/* Returns true if a smaller model of this trained workload, or forest, consists of the first trees
 * of a larger one. */
bool trained_begins_alike(const struct workload *workload);

/* A model and all parts of its fold. */
struct trained {
    struct fold fold;
    struct ensemble *ensemble;
    /* Forests: the same trees with leaves that hold shares of classes. NULL if the model was read
     * from its file, and for other models. */
    struct ensemble *shares;
};

/* Like trained_load, but returns all parts of the fold. Free the result with trained_free. */
enum status trained_make(const char *directory, const struct workload *workload,
                         struct trained *trained, struct error *error);
void trained_free(struct trained *trained);

/* Forests for experiments: the documents and the models of workloads of the kinds "random-forest",
 * "extra-trees" and "cart". trained_load loads and keeps these models. */

/* Reads the rows for training and testing by the data set's recipe (datasets/recipes). STATUS_INPUT
 * if the data set has no recipe, or if this machine does not have it: forests have no stand-ins. */
enum status forest_read_fold(const struct workload *workload, enum fold_parts wanted,
                             struct fold *fold, struct error *error);

/* Trains `trees` trees of at most `depth` decisions per path. The seed is derived from the
 * workload's seed and its trial. Leaves vote. If `shares` is not NULL, it receives the same trees
 * with leaves that hold shares of classes. Training on a part of the data set leaves a note in the
 * model. */
enum status forest_train(const struct workload *workload, const struct fold *fold,
                         struct ensemble **ensemble, struct ensemble **shares, struct error *error);

#endif
