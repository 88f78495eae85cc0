/* Measures a list of cells into a store, with progress. Shared by `run` and `sweep`. */
#ifndef HARNESS_MEASURE_CELLS_H
#define HARNESS_MEASURE_CELLS_H

#include "base/status.h"
#include "harness/measure/cell.h"
#include "harness/measure/measure.h"
#include "harness/rows/store.h"

#include <stddef.h>

struct cells_tally {
    /* numbers of cells: measured by this command, and found in the store */
    size_t measured, found;
    size_t rows;  /* all stored rows, counted by cells_count_rows */
    size_t wrong; /* rows whose status is wrong or failed */
    /* rows whose implementation does not support the ensemble or the machine */
    size_t unsupported;
};

/* Measures the cells that the store in `directory` lacks, and counts them in the tally. Prints a
 * note for each row that is not ok. */
enum status cells_run(const struct cell *cells, size_t n_cells, struct measure_request common,
                      const char *directory, struct store *store, struct cells_tally *tally,
                      struct error *error);

/* Counts all stored rows and the rows that are not ok. Rows from before a resume are included. */
void cells_count_rows(const struct rows *rows, struct cells_tally *tally);

#endif
