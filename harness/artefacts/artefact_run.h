/* Measures artefacts that have no cells: the items that they ask for, one line of a file each. */
#ifndef HARNESS_ARTEFACTS_ARTEFACT_RUN_H
#define HARNESS_ARTEFACTS_ARTEFACT_RUN_H

#include "harness/artefacts/artefact.h"
#include "harness/artefacts/shard.h"

struct artefact_run {
    const struct artefact_kind *kind;
    const char *directory;
    bool resume;
    const struct artefact *artefacts; /* of all kinds */
    size_t n_artefacts;
    const struct shard *shard;
    /* number of items that this run measured; number of items that were in the folder already */
    size_t measured, found;
    char missing[256]; /* what this machine lacks, such as compilers, separated by commas */
};

/* Measures what all artefacts of the kind ask for. Skips items that are in the folder's file
 * already, or that belong to another shard, and appends a line for each other item. Does nothing if
 * nothing is asked for. */
enum status artefact_run(struct artefact_run *run, struct error *error);

/* Adds to *count how many items all shards of the run have. */
enum status artefact_run_count(const struct artefact_run *run, size_t *count, struct error *error);

#endif
