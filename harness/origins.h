/* What a run's data sets are on this machine: the same run with and without them is not one run. */
#ifndef HARNESS_ORIGINS_H
#define HARNESS_ORIGINS_H

#include "base/status.h"
#include "harness/artefact.h"

#include <cjson/cJSON.h>

/* Of each data set that the artefacts name "real", "sample" or "stand-in", or what its folds are
 * between them: "sample, stand-in". Never a path. STATUS_INPUT where a variable that says where
 * data lies names no folder, see fold_find. The
 * caller deletes it. */
enum status origins_find(const struct artefact *artefacts, size_t n_artefacts, cJSON **origins,
                         struct error *error);

#endif
