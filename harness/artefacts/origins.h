/* Finds out, for each data set of a run, whether this machine has the real data, a sample of it or
 * only a stand-in. The rows of a run must not mix these. */
#ifndef HARNESS_ARTEFACTS_ORIGINS_H
#define HARNESS_ARTEFACTS_ORIGINS_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"

#include <cjson/cJSON.h>

/* Makes a JSON object that maps each data set of the artefacts to "real", "sample", "stand-in" or
 * "missing".
 * If the folds of a data set differ, the value is a list such as "sample, stand-in". The object
 * contains no path. The caller deletes it. Returns STATUS_INPUT if an environment variable that
 * locates data does not name a folder (see fold_find). */
enum status origins_find(const struct artefact *artefacts, size_t n_artefacts, cJSON **origins,
                         struct error *error);

/* Drops trials of trained models whose folds this machine's data lacks. A sample may have fewer
 * folds than the data set, and stand-ins must not replace the other folds. So the trials end before
 * the first fold whose origin differs from fold 0's. Adds the number of dropped trials, summed over
 * all points, to *dropped. Fails like origins_find. */
enum status origins_limit_folds(struct scale *scale, size_t *dropped, struct error *error);

/* Forests have no stand-ins. Panels of forests whose data set this machine does not have get 0
 * trials, so that nothing is trained for them. Appends the names of these data sets to `missing`,
 * separated by commas. Fails like origins_find. */
enum status origins_drop_missing(struct scale *scale, char *missing, size_t size,
                                 struct error *error);

#endif
