/* Opens a run's folder that an earlier run may have used. */
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
    /* --again: continue the earlier run if it is unfinished and matches; otherwise rename its
     * folder */
    AGAIN_EITHER
};

/* Opens the store of a run that has this manifest. *resume becomes true if the run continues an
 * earlier one.
 *
 * AGAIN_EITHER continues an unfinished run if its manifest matches (store_check_manifest). It
 * renames the folder of any other run to DIR.1, DIR.2, ... A note reports which of the two
 * happened. A run is finished if its folder has a rows.csv. Fails if another process is writing to
 * the folder. */
enum status again_open_store(const char *directory, enum again again, const cJSON *manifest,
                             note_function *note, bool *resume, struct store **store,
                             struct error *error);

#endif
