/* Finds whether this machine has the real data sets of a run, samples or stand-ins. A run's rows
 * must not mix these. */
#ifndef HARNESS_ARTEFACTS_ORIGINS_H
#define HARNESS_ARTEFACTS_ORIGINS_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"

#include <cjson/cJSON.h>

/* Makes a JSON object that maps each data set of the artefacts to "real", "sample" or "stand-in".
 * If the folds of a data set differ, the value is a list such as "sample, stand-in". The object
 * contains no path. The caller deletes it. Returns STATUS_INPUT if an environment variable that
 * locates data does not name a folder (see fold_find). */
enum status origins_find(const struct artefact *artefacts, size_t n_artefacts, cJSON **origins,
                         struct error *error);

/* Drops the trials of trained models from the first fold on whose origin differs from that of the
 * first fold. The sample of a data set may have fewer folds than the data set, and stand-ins must
 * not fill the gap. Adds the number of dropped trials, over all points, to *dropped. Fails like
 * origins_find. */
enum status origins_limit_folds(struct scale *scale, size_t *dropped, struct error *error);

#endif
