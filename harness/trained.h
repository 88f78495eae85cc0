/* Models trained for the experiments. */
#ifndef HARNESS_TRAINED_H
#define HARNESS_TRAINED_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/row.h"
#include "models/ensemble.h"

/* The model trained for a workload of kind "trained", and its test documents. Trains it, and keeps
 * it in DIRECTORY/models/, where it is not there yet. */
enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error);

#endif
