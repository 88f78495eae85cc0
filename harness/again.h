/* A run into a folder that an earlier run has used. */
#ifndef HARNESS_AGAIN_H
#define HARNESS_AGAIN_H

#include "base/status.h"

#include <cJSON.h>
#include <stdbool.h>

/* What to do about an earlier run in the folder. */
enum again {
    AGAIN_REFUSE, /* it is an error */
    AGAIN_RESUME, /* --resume: continue it, or fail */
    AGAIN_EITHER  /* --again: continue it, or set it aside */
};

#define RESUME_FLAG(what, variable)                                                                \
    {                                                                                              \
        .name = "resume", .help = "go on where a " what " into the same folder stopped",           \
        .value = &(variable)                                                                       \
    }
#define AGAIN_FLAG(variable)                                                                       \
    {                                                                                              \
        .name = "again", .help = "continue an unfinished one, or set it aside and start anew",     \
        .value = &(variable)                                                                       \
    }

/* From the two flags, which exclude each other. */
enum status again_parse(const char *resume, const char *again, enum again *parsed,
                        struct error *error);

/* Makes the folder ready for a run with this manifest, and says in *resume whether the run
 * continues an earlier one.
 *
 * With AGAIN_EITHER an unfinished run that the manifest allows to continue is continued. Any other
 * is renamed to DIR.1, DIR.2, ... A line on stderr says which. A run is finished once its rows.csv
 * exists. Fails if another process writes there. */
enum status again_prepare(const char *directory, enum again again, const cJSON *manifest,
                          bool *resume, struct error *error);

#endif
