/* The cells of a run: the union of the points of all chosen artefacts. Artefacts that share a point
 * share the cell of this point, so all their variants are compared in one measurement. */
#ifndef HARNESS_ARTEFACTS_GRID_H
#define HARNESS_ARTEFACTS_GRID_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/measure/cell.h"

/* Returns the workload of one trial at a point of the panel. */
struct workload grid_workload(const struct artefact *artefact, const struct panel *panel,
                              const struct point *point, uint32_t trial);

/* Builds the cells of a run. The caller frees *cells. Trials are the outermost loop, so drift of
 * the machine's speed spreads over the grid. Fails if two artefacts have different documents at one
 * point, because reports could not distinguish the rows of the two. Quality artefacts have no
 * cells. */
enum status grid_build(const struct artefact *artefacts, size_t n_artefacts, struct cell **cells,
                       size_t *n_cells, struct error *error);

#endif
