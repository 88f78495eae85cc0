/* Trains the models of artefacts with "measure": "quality", and measures their quality. */
#ifndef HARNESS_PAPERS_QUALITY_RUN_H
#define HARNESS_PAPERS_QUALITY_RUN_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/artefacts/shard.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_tally {
    /* number of models that this run measured; number of models that were in quality.jsonl
     * already */
    size_t measured, found;
};

/* Trains the models of all artefacts with "measure": "quality" and measures them. Skips models that
 * are in the folder's quality.jsonl already, or that belong to another shard, and appends a line
 * for each other model. Does nothing if there are no such artefacts. */
enum status quality_run(const char *directory, bool resume, const struct artefact *artefacts,
                        size_t n_artefacts, const struct shard *shard, struct quality_tally *tally,
                        struct error *error);

#endif
