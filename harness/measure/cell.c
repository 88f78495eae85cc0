#include "harness/measure/cell.h"

#include "base/hash.h"
#include "impls/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Hashes the final NUL as well. Otherwise moving a letter from one text to the next would not
 * change the hash. */
static uint64_t hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text) + 1);
}

const char *cell_parallel_name(const struct cell *cell) {
    return cell->about_threads ? parallel_names[cell->parallel] : "";
}

const char *cell_barrier_name(const struct cell *cell) {
    if (!cell->about_threads || cell->parallel == PARALLEL_DOCUMENTS)
        return "";
    return cell->barrier_each_step ? "step" : "pass";
}

void cell_set_key(struct cell *cell) {
    const struct workload *w = &cell->workload;
    char text[256];
    snprintf(text, sizeof text,
             "%d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32
             " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32,
             ROW_SCHEMA, w->depth, w->features, w->trees, w->max_leaves, w->patience, w->documents,
             w->trial, w->seed, cell->rounds, cell->threads, w->resample);
    uint64_t hash = hash_text(HASH_START, text);
    hash = hash_text(hash_text(hash_text(hash, w->kind), w->model), w->data);
    hash = hash_text(hash_text(hash, cell_parallel_name(cell)), cell_barrier_name(cell));
    char simulated[64] = "simulated";
    if (cell->caches.l1)
        snprintf(simulated, sizeof simulated,
                 "simulated %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, cell->caches.l1,
                 cell->caches.l1_ways, cell->caches.last, cell->caches.last_ways);
    for (size_t i = 0; i < cell->n_variants; i++) {
        hash = hash_text(hash, cell->variants[i]);
        if (cell->simulated[i])
            hash = hash_text(hash, simulated);
    }
    snprintf(cell->key, sizeof cell->key, "%016" PRIx64, hash);
}

void cell_prepare_rows(const struct cell *cell, struct row *rows) {
    for (size_t i = 0; i < cell->n_variants; i++) {
        struct row *row = &rows[i];
        row_init(row);
        memcpy(row->cell, cell->key, sizeof row->cell);
        row->cell_rows = (uint32_t)cell->n_variants;
        memcpy(row->artefacts, cell->artefacts, sizeof row->artefacts);
        row->workload = cell->workload;
        row->threads = cell->threads;
        snprintf(row->parallel, sizeof row->parallel, "%s", cell_parallel_name(cell));
        snprintf(row->barrier, sizeof row->barrier, "%s", cell_barrier_name(cell));
        row_set_variant(row, cell->variants[i]);
    }
}
