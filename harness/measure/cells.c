#include "harness/measure/cells.h"

#include "base/hash.h"
#include "harness/instruments/progress.h"
#include "harness/measure/workload.h"
#include "harness/rows/point.h"
#include "impls/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Hashes the final NUL as well. Otherwise moving a letter from one text to the next would not
 * change the hash. */
static uint64_t hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* What rows store about threads. */
static const char *parallel_name(const struct cell *cell) {
    return cell->about_threads ? parallel_names[cell->parallel] : "";
}

static const char *barrier_name(const struct cell *cell) {
    if (!cell->about_threads || cell->parallel == PARALLEL_DOCUMENTS)
        return "";
    return cell->barrier_each_step ? "step" : "pass";
}

static const char *passes_name(const struct cell *cell) {
    return cell->is_cold ? "cold" : "";
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
    hash = hash_text(hash_text(hash, parallel_name(cell)), barrier_name(cell));
    hash = hash_text(hash, passes_name(cell));
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

/* Sets what rows store of the point. */
static void set_point(const struct cell *cell, struct row *row) {
    row->workload = cell->workload;
    row->threads = cell->threads;
    snprintf(row->parallel, sizeof row->parallel, "%s", parallel_name(cell));
    snprintf(row->barrier, sizeof row->barrier, "%s", barrier_name(cell));
    snprintf(row->passes, sizeof row->passes, "%s", passes_name(cell));
}

void cell_prepare_rows(const struct cell *cell, struct row *rows) {
    for (size_t i = 0; i < cell->n_variants; i++) {
        struct row *row = &rows[i];
        row_init(row);
        memcpy(row->cell, cell->key, sizeof row->cell);
        row->cell_rows = (uint32_t)cell->n_variants;
        memcpy(row->artefacts, cell->artefacts, sizeof row->artefacts);
        set_point(cell, row);
        row_set_variant(row, cell->variants[i]);
    }
}

/* The rounds of a cell are spread over this many placements, or over as many as it has rounds. */
enum { PLACEMENTS = 5 };

struct cells_job {
    struct measure_request common;
    const char *directory;
    struct store *store;
    struct progress progress;
    /* inputs of the previous cell, which the next cell may use too */
    struct workload_inputs inputs;
    char told[ROW_REASON_SIZE]; /* why something was unsupported, in the last note */
};

/* What is unsupported for the same reason as in the previous note is not told again. */
static bool was_told(struct cells_job *job, const struct row *row) {
    if (row->status != ROW_UNSUPPORTED)
        return false;
    if (strcmp(row->reason, job->told) == 0)
        return true;
    snprintf(job->told, sizeof job->told, "%s", row->reason);
    return false;
}

static void tell_failures(struct cells_job *job, const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        if (row->status == ROW_OK)
            continue;
        char where[POINT_TEXT_SIZE];
        struct point point = point_of_row(row);
        point_describe(&point, where, sizeof where);
        if (was_told(job, row))
            continue;
        note_tell(job->common.note, "%s at %s, trial %" PRIu32 ": %s: %s", row_variant(row).text,
                  where, row->workload.trial, row_status_names[row->status], row->reason);
    }
}

/* Returns the common request with the members set that differ between cells. */
static struct measure_request request_for(const struct cell *cell,
                                          const struct measure_request *common) {
    struct measure_request how = *common;
    bool is_one_tree = strcmp(cell->workload.kind, "synthetic") == 0;
    how.rounds = cell->rounds;
    how.placements = PLACEMENTS;
    how.single_documents = !is_one_tree;
    how.simulated = common->counters == COUNTERS_NONE ? NULL : cell->simulated;
    how.caches = cell->caches.l1 ? &cell->caches : NULL;
    how.plan.threads = cell->threads;
    how.is_cold = cell->is_cold;
    if (cell->about_threads) {
        how.plan.parallel = cell->parallel;
        how.count_team = cell->parallel == PARALLEL_DOCUMENTS;
        how.barrier_each_step = cell->barrier_each_step;
        /* one thread is timed by the wall clock too, so that its times can be compared with those
         * of several threads */
        how.clock = "wall";
    }
    return how;
}

static enum status measure_and_store(const struct cell *cell, struct cells_job *job,
                                     struct row *rows, struct error *error) {
    const char *variants[CELL_VARIANTS_MAX];
    for (size_t i = 0; i < cell->n_variants; i++)
        variants[i] = cell->variants[i];
    enum status status = workload_make_inputs(job->directory, &cell->workload, &job->inputs, error);
    if (status)
        return status;
    struct measure_request how = request_for(cell, &job->common);
    status = measure_cell(job->inputs.ensemble, job->inputs.documents, variants, cell->n_variants,
                          &how, rows, error);
    if (!status)
        status = store_append_cell(job->store, rows, cell->n_variants, error);
    return status;
}

static enum status run_cell(const struct cell *cell, struct cells_job *job, struct error *error) {
    struct row rows[CELL_VARIANTS_MAX];
    cell_prepare_rows(cell, rows);
    enum status status = measure_and_store(cell, job, rows, error);
    progress_done(&job->progress);
    if (!status)
        tell_failures(job, rows, cell->n_variants);
    for (size_t i = 0; i < cell->n_variants; i++)
        row_free(&rows[i]);
    return status;
}

static void tell_step(const struct cell *cell, struct progress *progress) {
    char what[POINT_TEXT_SIZE + 32], where[POINT_TEXT_SIZE];
    struct row row = {.cell_rows = 0};
    set_point(cell, &row);
    struct point point = point_of_row(&row);
    point_describe(&point, where, sizeof where);
    snprintf(what, sizeof what, "%s, trial %" PRIu32, where, cell->workload.trial);
    progress_step(progress, what);
}

enum status cells_run(const struct cell *cells, size_t n_cells, struct measure_request common,
                      const char *directory, struct store *store, struct cells_tally *tally,
                      struct error *error) {
    struct cells_job job = {.common = common, .directory = directory, .store = store};
    enum status status = STATUS_OK;
    progress_begin(&job.progress, n_cells);
    for (size_t i = 0; i < n_cells && !status; i++) {
        if (store_has_cell(store, cells[i].key)) {
            progress_skip(&job.progress);
            tally->found++;
            continue;
        }
        tell_step(&cells[i], &job.progress);
        status = run_cell(&cells[i], &job, error);
        tally->measured += !status;
    }
    workload_free_inputs(&job.inputs);
    return status;
}

void cells_count_rows(const struct rows *rows, struct cells_tally *tally) {
    tally->rows = rows->count;
    tally->wrong = tally->unsupported = 0;
    for (size_t i = 0; i < rows->count; i++) {
        enum row_status status = rows->list[i].status;
        tally->unsupported += status == ROW_UNSUPPORTED;
        tally->wrong += status == ROW_WRONG || status == ROW_FAILED;
    }
}
