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
    uint32_t threads;
    char parallel[12]; /* as a row's */
    uint32_t rounds;
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE];
    bool simulated[ARTEFACT_VARIANTS_MAX]; /* an artefact wants callgrind's counts of the variant */
    size_t n_variants;
    char artefacts[ROW_REASON_SIZE];
};

/* A trial of one of the panel's points, as it is asked for. */
struct workload grid_workload(const struct artefact *artefact, const struct panel *panel,
                              const struct point *point, uint32_t trial);

/* *cells is malloc'd; trials are outermost, so that drift of the machine spreads over the grid.
 * Artefacts that want different documents at one point are refused: reports would mix the rows.
 * Artefacts about quality have no cells. */
enum status grid_build(const struct artefact *artefacts, size_t n_artefacts,
                       struct grid_cell **cells, size_t *n_cells, struct error *error);

/* What a workload scores. */
struct grid_inputs {
    struct workload workload;
    struct ensemble *ensemble;
    struct matrix *documents;
};

/* Makes or loads a workload's model and documents, from its seed and trial; models that are trained
 * are kept in the folder. Begin with zeros; what the inputs hold is used where it is of the same
 * workload, and freed where not. */
enum status grid_make_inputs(const char *directory, const struct workload *workload,
                             struct grid_inputs *inputs, struct error *error);
void grid_free_inputs(struct grid_inputs *inputs);

/* Initialised rows with the cell's `asked` part, one per variant. `rows` has room for them. */
void grid_prepare_rows(const struct grid_cell *cell, struct row *rows);

/* Fills a row's impl and params from "vpred,v=8". */
void grid_set_variant(struct row *row, const char *variant);

/* The key of a cell: recomputed after its workload or variants were set by hand. */
void grid_set_key(struct grid_cell *cell);

#endif
