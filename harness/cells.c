#include "harness/cells.h"

#include "harness/command.h"
#include "harness/progress.h"
#include "harness/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct cells_job {
    struct measuring how;
    const char *directory;
    struct store *store;
    struct progress progress;
    struct grid_inputs inputs; /* of the last cell: the next may share them */
};

static void tell_failures(const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        if (row->status == ROW_OK)
            continue;
        char variant[2 * ROW_NAME_SIZE], where[POINT_TEXT_SIZE];
        struct point point = point_of_row(row);
        row_variant(row, variant, sizeof variant);
        point_describe(&point, where, sizeof where);
        fprintf(stderr, "treebench: %s at %s, trial %" PRIu32 ": %s: %s\n", variant, where,
                row->workload.trial, row_status_names[row->status], row->reason);
    }
}

/* How the cells of a run differ from each other in measuring. */
static struct measuring measuring_of(const struct grid_cell *cell, const struct measuring *common) {
    struct measuring how = *common;
    bool is_one_tree = strcmp(cell->workload.kind, "synthetic") == 0;
    how.rounds = cell->rounds;
    how.single_documents = !is_one_tree;
    how.simulated = common->counters == COUNTERS_NONE ? NULL : cell->simulated;
    how.plan.threads = cell->threads;
    if (cell->parallel[0] != '\0') {
        threads_parse_parallel(cell->parallel, &how.plan.parallel, NULL);
        how.plan.threads = cell->threads;
        how.clock = "wall"; /* also for one thread, so that it compares with more */
    }
    return how;
}

static enum status measure_and_store(const struct grid_cell *cell, struct cells_job *job,
                                     struct row *rows, struct error *error) {
    const char *variants[ARTEFACT_VARIANTS_MAX];
    for (size_t i = 0; i < cell->n_variants; i++)
        variants[i] = cell->variants[i];
    enum status status = grid_make_inputs(job->directory, &cell->workload, &job->inputs, error);
    if (status != STATUS_OK)
        return status;
    struct measuring how = measuring_of(cell, &job->how);
    status = measure_cell(job->inputs.ensemble, job->inputs.documents, variants, cell->n_variants,
                          &how, rows, error);
    if (status == STATUS_OK)
        status = store_append_cell(job->store, rows, cell->n_variants, error);
    return status;
}

static enum status run_cell(const struct grid_cell *cell, struct cells_job *job,
                            struct error *error) {
    struct row rows[ARTEFACT_VARIANTS_MAX];
    grid_prepare_rows(cell, rows);
    enum status status = measure_and_store(cell, job, rows, error);
    progress_done(&job->progress);
    if (status == STATUS_OK)
        tell_failures(rows, cell->n_variants);
    for (size_t i = 0; i < cell->n_variants; i++)
        row_free(&rows[i]);
    return status;
}

static void tell_step(const struct grid_cell *cell, struct progress *progress) {
    char what[POINT_TEXT_SIZE + 32], where[POINT_TEXT_SIZE];
    struct row row = {.workload = cell->workload, .threads = cell->threads};
    memcpy(row.parallel, cell->parallel, sizeof row.parallel);
    struct point point = point_of_row(&row);
    point_describe(&point, where, sizeof where);
    snprintf(what, sizeof what, "%s, trial %" PRIu32, where, cell->workload.trial);
    progress_step(progress, what);
}

enum status cells_run(const struct grid_cell *cells, size_t n_cells, struct measuring how,
                      const char *directory, struct store *store, struct cells_tally *tally,
                      struct error *error) {
    struct cells_job job = {.how = how, .directory = directory, .store = store};
    enum status status = STATUS_OK;
    progress_begin(&job.progress, n_cells);
    for (size_t i = 0; i < n_cells && status == STATUS_OK; i++) {
        if (store_has_cell(store, cells[i].key)) {
            progress_skip(&job.progress);
            tally->found++;
            continue;
        }
        tell_step(&cells[i], &job.progress);
        status = run_cell(&cells[i], &job, error);
        tally->measured += status == STATUS_OK;
    }
    grid_free_inputs(&job.inputs);
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
