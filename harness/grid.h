/* The cells of a run: the union of what the chosen artefacts ask for. Artefacts that share a point
 * of the grid share its cell, and all their variants are compared there in one measurement. */
#ifndef HARNESS_GRID_H
#define HARNESS_GRID_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/artefact.h"
#include "harness/row.h"
#include "models/ensemble.h"

struct grid_cell {
    char key[ROW_NAME_SIZE]; /* a hash of everything below but the artefacts' names */
    struct workload workload;
    uint32_t rounds;
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE];
    size_t n_variants;
    char artefacts[ROW_REASON_SIZE];
};

/* *cells is malloc'd; trials are outermost, so that drift of the machine spreads over the grid.
 * Artefacts that want different documents at one point are refused: reports would mix the rows. */
enum status grid_build(const struct artefact *artefacts, size_t n_artefacts,
                       struct grid_cell **cells, size_t *n_cells, struct error *error);

/* The workload's trees and documents, from its seed and trial. */
enum status grid_make_workload(const struct workload *workload, struct ensemble **ensemble,
                               struct matrix **documents, struct error *error);

/* Initialised rows with the cell's `asked` part, one per variant. `rows` has room for them. */
void grid_prepare_rows(const struct grid_cell *cell, struct row *rows);

/* Fills a row's impl and params from "vpred,v=8". */
void grid_set_variant(struct row *row, const char *variant);

/* The key of a cell: recomputed after its workload or variants were set by hand. */
void grid_set_key(struct grid_cell *cell);

#endif
