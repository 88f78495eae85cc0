/* Trains the models of the quality artefacts and measures their quality. */
#ifndef HARNESS_PAPERS_QUALITY_RUN_H
#define HARNESS_PAPERS_QUALITY_RUN_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_tally {
    /* numbers of models: measured by this run, and found in quality.jsonl */
    size_t measured, found;
};

/* Trains the models of all artefacts with "measure": "quality", except models that the run's folder
 * already has. Appends one line per model to the folder's quality.jsonl. Does nothing if there are
 * no such artefacts. */
enum status quality_run(const char *directory, bool resume, const struct artefact *artefacts,
                        size_t n_artefacts, struct quality_tally *tally, struct error *error);

#endif
