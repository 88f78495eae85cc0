/* A cell: a workload, and the variants that are compared on it in the same rounds. */
#ifndef HARNESS_MEASURE_CELL_H
#define HARNESS_MEASURE_CELL_H

#include "harness/counting/simulated_caches.h"
#include "harness/rows/row.h"
#include "impls/scorer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Returns the text that rows store about `parallel`, which is "" unless about_threads. */
const char *cell_parallel_name(const struct cell *cell);

/* Returns the text that rows store about the barrier, which is "" unless threads share trees. */
const char *cell_barrier_name(const struct cell *cell);

/* Initialises one row per variant and sets the members under "asked". `rows` needs room for
 * n_variants rows. */
void cell_prepare_rows(const struct cell *cell, struct row *rows);

#endif
