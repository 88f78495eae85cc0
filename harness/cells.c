#include "harness/cells.h"

#include "harness/command.h"
#include "harness/progress.h"

#include <inttypes.h>
#include <stdio.h>

static void tell_failures(const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        if (row->status == ROW_OK)
            continue;
        char variant[2 * ROW_NAME_SIZE];
        row_variant(row, variant, sizeof variant);
        fprintf(stderr,
                "treebench: %s at depth %" PRIu32 ", %" PRIu32 " features, trial %" PRIu32
                ": %s: %s\n",
                variant, row->workload.depth, row->workload.features, row->workload.trial,
                row_status_names[row->status], row->reason);
    }
}

static enum status measure_and_store(const struct grid_cell *cell, struct measuring how,
                                     struct store *store, struct row *rows, struct error *error) {
    struct ensemble *ensemble = NULL;
    struct matrix *documents = NULL;
    const char *variants[ARTEFACT_VARIANTS_MAX];
    for (size_t i = 0; i < cell->n_variants; i++)
        variants[i] = cell->variants[i];
    enum status status = grid_make_workload(&cell->workload, &ensemble, &documents, error);
    if (status != STATUS_OK)
        return status;
    how.rounds = cell->rounds;
    status = measure_cell(ensemble, documents, variants, cell->n_variants, &how, rows, error);
    if (status == STATUS_OK)
        status = store_append_cell(store, rows, cell->n_variants, error);
    matrix_free(documents);
    ensemble_free(ensemble);
    return status;
}

static enum status run_cell(const struct grid_cell *cell, const struct measuring *how,
                            struct store *store, struct progress *progress, struct error *error) {
    struct row rows[ARTEFACT_VARIANTS_MAX];
    grid_prepare_rows(cell, rows);
    enum status status = measure_and_store(cell, *how, store, rows, error);
    progress_done(progress);
    if (status == STATUS_OK)
        tell_failures(rows, cell->n_variants);
    for (size_t i = 0; i < cell->n_variants; i++)
        row_free(&rows[i]);
    return status;
}

enum status cells_run(const struct grid_cell *cells, size_t n_cells, struct measuring how,
                      struct store *store, struct cells_tally *tally, struct error *error) {
    struct progress progress;
    enum status status = STATUS_OK;
    progress_begin(&progress, n_cells);
    for (size_t i = 0; i < n_cells && status == STATUS_OK; i++) {
        if (store_has_cell(store, cells[i].key)) {
            progress_skip(&progress);
            tally->found++;
            continue;
        }
        char what[128];
        snprintf(what, sizeof what, "depth %" PRIu32 ", %" PRIu32 " features, trial %" PRIu32,
                 cells[i].workload.depth, cells[i].workload.features, cells[i].workload.trial);
        progress_step(&progress, what);
        status = run_cell(&cells[i], &how, store, &progress, error);
        tally->measured += status == STATUS_OK;
    }
    return status;
}

void cells_count_rows(const struct rows *rows, struct cells_tally *tally) {
    tally->wrong = tally->unsupported = 0;
    for (size_t i = 0; i < rows->count; i++) {
        enum row_status status = rows->list[i].status;
        tally->unsupported += status == ROW_UNSUPPORTED;
        tally->wrong += status == ROW_WRONG || status == ROW_FAILED;
    }
    if (tally->wrong + tally->unsupported > 0)
        fprintf(
            stderr,
            "treebench: of %zu rows, %zu are wrong or failed and %zu unsupported: rows.csv says "
            "which and why\n",
            rows->count, tally->wrong, tally->unsupported);
}

int cells_exit_status(const struct cells_tally *tally) {
    return tally->wrong ? EXIT_CHECK : tally->unsupported ? EXIT_MACHINE : EXIT_DONE;
}
