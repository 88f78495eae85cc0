/* Forests for experiments: the documents and the models of workloads of the kinds "random-forest",
 * "extra-trees" and "cart". trained.h loads and keeps these models. */
#ifndef HARNESS_MEASURE_FOREST_H
#define HARNESS_MEASURE_FOREST_H

#include "base/status.h"
#include "datasets/folds.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

#include <stdbool.h>

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
