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

/* Measures the cells that the store in `directory` lacks, and adds to the tally's cells. Rows that
 * are not ok are told on stderr, a line each. */
enum status cells_run(const struct grid_cell *cells, size_t n_cells, struct measuring how,
                      const char *directory, struct store *store, struct cells_tally *tally,
                      struct error *error);

/* Counts the rows that are not ok among all that are stored, for what was found wrong before a
 * resume is as wrong after it; tells their number on stderr. */
void cells_count_rows(const struct rows *rows, struct cells_tally *tally);

/* The exit status that a tally deserves. */
int cells_exit_status(const struct cells_tally *tally);

#endif
