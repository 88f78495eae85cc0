/* Measuring a list of cells into a store, with progress: what `run` and `sweep` share. */
#ifndef HARNESS_CELLS_H
#define HARNESS_CELLS_H

#include "base/status.h"
#include "harness/grid.h"
#include "harness/measure.h"
#include "harness/store.h"

#include <stddef.h>

struct cells_tally {
    size_t measured, found; /* cells: measured now, and found in the store */
    size_t wrong;           /* rows that are wrong or failed */
    size_t unsupported;     /* rows that were refused */
};

/* Measures the cells that the store lacks. Rows that are not ok are also told on stderr, a line
 * each. */
enum status cells_run(const struct grid_cell *cells, size_t n_cells, struct measuring how,
                      struct store *store, struct cells_tally *tally, struct error *error);

/* The exit status that a tally deserves. */
int cells_exit_status(const struct cells_tally *tally);

#endif
