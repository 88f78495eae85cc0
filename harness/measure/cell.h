/* A cell: one workload, and the variants that are compared on it in one interleaved measurement. */
#ifndef HARNESS_MEASURE_CELL_H
#define HARNESS_MEASURE_CELL_H

#include "harness/rows/row.h"
#include "impls/scorer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_VARIANTS_MAX = 32 };

struct cell {
    char key[ROW_NAME_SIZE]; /* a hash of all members below except `artefacts` */
    struct workload workload;
    uint32_t threads;
    /* true: the experiment varies threads, so rows record what the threads share */
    bool about_threads;
    enum parallel parallel; /* what threads share, if about_threads */
    uint32_t rounds;
    char variants[CELL_VARIANTS_MAX][ROW_NAME_SIZE]; /* "vpred,v=8" */
    bool simulated[CELL_VARIANTS_MAX];               /* callgrind also counts the variant */
    size_t n_variants;
    /* names of the artefacts that need the cell, separated by spaces */
    char artefacts[ROW_REASON_SIZE];
};

/* Sets the key. Call this after every change of the cell. */
void cell_set_key(struct cell *cell);

/* The cell's `parallel` as stored in rows; "" unless the cell measures threads. */
const char *cell_parallel_name(const struct cell *cell);

/* Initialises one row per variant and fills its "asked" part. `rows` has room for n_variants. */
void cell_prepare_rows(const struct cell *cell, struct row *rows);

#endif
