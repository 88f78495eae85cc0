/* Training and judging the models of the artefacts that are about quality. */
#ifndef HARNESS_QUALITY_RUN_H
#define HARNESS_QUALITY_RUN_H

#include "base/status.h"
#include "harness/artefact.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_tally {
    size_t measured, found; /* models: now, and in quality.jsonl from before */
};

/* Trains the models of all artefacts with "measure": "quality" where the run's folder lacks them,
 * and appends a line for each to its quality.jsonl. Without such artefacts it does nothing. */
enum status quality_run(const char *directory, bool resume, const struct artefact *artefacts,
                        size_t n_artefacts, struct quality_tally *tally, struct error *error);

#endif
