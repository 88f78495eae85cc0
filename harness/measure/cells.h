/* Measures a list of cells, stores their rows, and shows the progress. */
#ifndef HARNESS_MEASURE_CELLS_H
#define HARNESS_MEASURE_CELLS_H

#include "base/status.h"
#include "harness/measure/measure.h"
#include "harness/rows/row.h"
#include "harness/rows/store.h"
#include "impls/scorer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cell: a workload, and the variants that are compared on it in the same rounds. */
enum { CELL_VARIANTS_MAX = 64 };
struct cell {
    char key[ROW_NAME_SIZE]; /* a hash of all members below except `artefacts` */
    struct workload workload;
    uint32_t threads;
    /* true: the artefact varies the number of threads, so rows record what the threads share */
    bool about_threads;
    enum parallel parallel; /* what threads share; used if about_threads */
    /* threads that share trees add up their sums after each step, not only at the end of a pass */
    bool barrier_each_step;
    bool is_cold; /* measure.h */
    uint32_t rounds;
    char variants[CELL_VARIANTS_MAX][ROW_NAME_SIZE]; /* "vpred,v=8" */
    /* callgrind also counts the variant's events */
    bool simulated[CELL_VARIANTS_MAX];
    struct simulated_caches caches; /* of the simulation; l1 = 0: the default */
    size_t n_variants;
    /* names of the artefacts that need the cell, separated by spaces */
    char artefacts[ROW_REASON_SIZE];
};

/* Computes the key. Call this again after changing the cell. */
void cell_set_key(struct cell *cell);

/* Initialises one row per variant and sets the members under "asked". `rows` needs room for
 * n_variants rows. */
void cell_prepare_rows(const struct cell *cell, struct row *rows);

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
