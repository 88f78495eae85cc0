/* Builds the cells of a run from the points of all chosen artefacts. If several artefacts have the
 * same point, its cell holds the variants of all of them, so that they are measured in the same
 * rounds. */
#ifndef HARNESS_ARTEFACTS_GRID_H
#define HARNESS_ARTEFACTS_GRID_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/measure/cells.h"

/* Returns the workload for one trial at a point of the panel. */
struct workload grid_workload(const struct artefact *artefact, const struct panel *panel,
                              const struct point *point, uint32_t trial);

/* Returns the workload that trains model number `model` of a fold (from 0 to panel->seeds - 1). The
 * models of a fold differ only in their seeds. Timed artefacts use model 0. */
struct workload grid_model(const struct artefact *artefact, const struct panel *panel,
                           const struct point *point, uint32_t fold, uint32_t model);

/* Builds the cells of a run. The caller frees *cells. Trials are the outermost loop, so a drift of
 * the machine's speed affects all points alike. Fails if two artefacts disagree about the seed or
 * the number of documents at the same point, because reports could not tell their rows apart.
 * Only artefacts that are timed have cells. */
enum status grid_build(const struct artefact *artefacts, size_t n_artefacts, struct cell **cells,
                       size_t *n_cells, struct error *error);

#endif
