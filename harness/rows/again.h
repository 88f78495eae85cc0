/* Starts a run in a folder that an earlier run has used. */
#ifndef HARNESS_ROWS_AGAIN_H
#define HARNESS_ROWS_AGAIN_H

#include "base/note.h"
#include "base/status.h"
#include "harness/rows/store.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What to do if the folder holds an earlier run. */
enum again {
    AGAIN_REFUSE, /* fail */
    AGAIN_RESUME, /* --resume: continue the earlier run, or fail */
    AGAIN_EITHER  /* --again: continue the earlier run if possible, otherwise rename its folder */
};

/* Opens the store of a run with this manifest. *resume becomes true if the run continues an earlier
 * one.
 *
 * AGAIN_EITHER continues an unfinished run if the manifest allows it. Any other run is renamed to
 * DIR.1, DIR.2, ... A note reports whether the earlier run was continued or renamed. A run is
 * finished once its rows.csv exists. Fails if another process writes to the folder. */
enum status again_open_store(const char *directory, enum again again, const cJSON *manifest,
                             note_function *note, bool *resume, struct store **store,
                             struct error *error);

#endif
