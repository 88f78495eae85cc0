/* Measures a list of cells, stores their rows, and shows the progress. Used by `run` and
 * `sweep`. */
#ifndef HARNESS_MEASURE_CELLS_H
#define HARNESS_MEASURE_CELLS_H

#include "base/status.h"
#include "harness/measure/cell.h"
#include "harness/measure/measure.h"
#include "harness/rows/store.h"

#include <stddef.h>

struct cells_tally {
    /* number of cells that this command measured; number of cells that were in the store already */
    size_t measured, found;
    size_t rows;  /* number of stored rows (see cells_count_rows) */
    size_t wrong; /* number of rows whose status is wrong or failed */
    /* number of rows whose implementation does not support the ensemble or the machine */
    size_t unsupported;
};

/* Measures the cells that are not in the store yet. Adds the numbers of measured and found cells to
 * the tally. Prints a note for each new row that is not ok. `directory` is the store's folder. */
enum status cells_run(const struct cell *cells, size_t n_cells, struct measure_request common,
                      const char *directory, struct store *store, struct cells_tally *tally,
                      struct error *error);

/* Counts the rows, and those that are not ok. `rows` must be all rows of the store, so that rows
 * measured before a resume count too. */
void cells_count_rows(const struct rows *rows, struct cells_tally *tally);

#endif
