#include "harness/tuning/map.h"

#include "base/files/json.h"
#include "datasets/catalogue.h"
#include "harness/doctor/doctor.h"
#include "harness/instruments/machine.h"
#include "harness/instruments/progress.h"
#include "harness/measure/calls.h"
#include "harness/rows/store.h"
#include "impls/scorer.h"
#include "synth/grown.h"
#include "synth/standin.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MAX = 6 + IMPL_ADDED_MAX, SPECS_MAX = AUTO_SPECS_MAX + LIBRARIES_MAX + 2 };
enum { SCREEN_ROUNDS = 2, PLACEMENTS = 5 };
/* For larger calls, implementations are screened with calls of this size. An implementation that is
 * slow at 1,000 documents per call is also slow at 10,000. */
enum { SCREEN_CALL = 1000 };
/* Tree visits per pass over the documents, for screening and for sampling. Screening passes are
 * short, which favours implementations that branch. These are then sampled too, and lose. */
enum { SCREEN_VISITS = 1 << 18, VISITS = 1 << 20 };
/* The most leaves of a model on which `codegen` is measured. A compiler translates such a model in
 * a second or two. */
enum { CODEGEN_LEAVES = 2000 };
/* Implementations are sampled if screening finds them within this factor of the best. */
static const double promising = 3;
/* The documents resemble those of this data set, except that they have the requested number of
 * features. */
static const char *const kind_of_documents = "mslr-web10k";

/* An ensemble, the specs that compete on it, and the results of screening them. */
struct contest {
    const struct map_grid *grid;
    note_function *note;
    struct store *store;
    struct progress progress;
    struct matrix *documents;
    struct ensemble *ensemble;
    struct workload workload;
    char specs[SPECS_MAX][AUTO_SPEC_SIZE];
    size_t n_specs;
    struct row screened[SPECS_MAX];    /* index: spec */
    struct scorer *scorers[SPECS_MAX]; /* index: spec; NULL: not built yet */
    /* documents per call of the last screening; 0: no screening yet */
    size_t screened_call;
};

/* --- the point's rows ------------------------------------------------------------------------- */

static void set_key(const struct contest *c, uint32_t call, char key[static ROW_NAME_SIZE]) {
    const struct workload *w = &c->workload;
    snprintf(key, ROW_NAME_SIZE, "f%" PRIu32 "-l%" PRIu32 "-t%" PRIu32 "-n%" PRIu32, w->features,
             w->max_leaves, w->trees, call);
}

static void prepare_row(const struct contest *c, const char *spec, struct row *row) {
    row_init(row);
    snprintf(row->artefacts, sizeof row->artefacts, "map");
    row->workload = c->workload;
    row_set_variant(row, spec);
}

static void free_rows(struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        row_free(&rows[i]);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* Measures the `count` specs whose indices are in numbers[]. The caller frees rows[i], even on
 * failure. */
static enum status measure(struct contest *c, const size_t *numbers, size_t count, uint32_t call,
                           size_t visits, uint32_t rounds, struct row *rows, struct error *error) {
    const char *specs[SPECS_MAX] = {NULL};
    struct scorer *scorers[SPECS_MAX] = {NULL};
    const struct matrix documents =
        calls_documents(c->documents, c->ensemble->n_trees, call, call, visits);
    const struct measure_request how = {.rounds = rounds,
                                        .placements = rounds == SCREEN_ROUNDS ? 1 : PLACEMENTS,
                                        .clock = "cpu",
                                        .note = c->note,
                                        .drops_scorer_notes = true,
                                        .counters = COUNTERS_NONE,
                                        .plan = {.order = ORDER_DS, .doc_block = call},
                                        .scorers = scorers};
    for (size_t i = 0; i < count; i++) {
        specs[i] = c->specs[numbers[i]];
        scorers[i] = c->scorers[numbers[i]];
        prepare_row(c, specs[i], &rows[i]);
    }
    enum status status = measure_cell(c->ensemble, &documents, specs, count, &how, rows, error);
    for (size_t i = 0; i < count; i++)
        c->scorers[numbers[i]] = scorers[i];
    return status ? status : calls_check_memory(rows, count, error);
}

/* Screens all specs that no earlier screening rejected. The first screening on an ensemble also
 * checks the scores of the specs. */
static enum status screen(struct contest *c, uint32_t call, struct error *error) {
    struct row rows[SPECS_MAX];
    size_t numbers[SPECS_MAX] = {0}, count = 0;
    if (call > SCREEN_CALL)
        call = SCREEN_CALL;
    if (call == c->screened_call)
        return STATUS_OK;
    for (size_t i = 0; i < c->n_specs; i++)
        if (c->screened_call == 0 || c->screened[i].status == ROW_OK)
            numbers[count++] = i;
    memset(rows, 0, sizeof rows);
    enum status status =
        measure(c, numbers, count, call, SCREEN_VISITS, SCREEN_ROUNDS, rows, error);
    for (size_t i = 0; i < count; i++) {
        row_free(&c->screened[numbers[i]]);
        c->screened[numbers[i]] = rows[i];
    }
    c->screened_call = call;
    return status;
}

/* Chooses the specs to sample: those close to the best in screening, and `auto`. */
static size_t choose(const struct contest *c, size_t *numbers) {
    double best = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < c->n_specs; i++)
        if (c->screened[i].status == ROW_OK)
            best = fmin(best, c->screened[i].median);
    for (size_t i = 0; i < c->n_specs; i++)
        if (c->screened[i].status == ROW_OK &&
            (c->screened[i].median <= promising * best || strcmp(c->specs[i], "auto") == 0))
            numbers[count++] = i;
    return count;
}

/* Fills the rows of the cell: first the sampled specs, whose number is *n_sampled, then those of
 * all other specs, which keep the samples of screening. */
static enum status sample(struct contest *c, uint32_t call, struct row *rows, size_t *n_sampled,
                          struct error *error) {
    size_t numbers[SPECS_MAX] = {0};
    bool sampled[SPECS_MAX] = {false};
    size_t count = *n_sampled = choose(c, numbers);
    enum status status = STATUS_OK;
    if (count > 0)
        status = measure(c, numbers, count, call, VISITS, c->grid->rounds, rows, error);
    for (size_t i = 0; i < count; i++)
        sampled[numbers[i]] = true;
    for (size_t i = 0; i < c->n_specs; i++)
        if (!sampled[i])
            rows[count++] = c->screened[i];
    return status;
}

static enum status measure_point(struct contest *c, uint32_t call, struct error *error) {
    struct row rows[SPECS_MAX];
    char what[64], key[ROW_NAME_SIZE];
    size_t n_sampled = 0;
    set_key(c, call, key);
    if (store_has_cell(c->store, key)) {
        progress_skip(&c->progress);
        return STATUS_OK;
    }
    snprintf(what, sizeof what,
             "%" PRIu32 " features, %" PRIu32 " leaves, %" PRIu32 " trees, calls of %" PRIu32,
             c->workload.features, c->workload.max_leaves, c->workload.trees, call);
    progress_step(&c->progress, what);
    memset(rows, 0, sizeof rows);
    enum status status = screen(c, call, error);
    if (!status)
        status = sample(c, call, rows, &n_sampled, error);
    for (size_t i = 0; i < c->n_specs; i++) {
        memcpy(rows[i].cell, key, sizeof key);
        rows[i].cell_rows = (uint32_t)c->n_specs;
    }
    if (!status)
        status = store_append_cell(c->store, rows, c->n_specs, error);
    free_rows(rows, n_sampled);
    progress_done(&c->progress);
    return status;
}

/* --- models ----------------------------------------------------------------------------------- */

static void choose_specs(struct contest *c) {
    bool compiles = (uint64_t)c->workload.max_leaves * c->workload.trees <= CODEGEN_LEAVES;
    c->n_specs = calls_candidates(compiles, c->specs, AUTO_SPECS_MAX);
    c->n_specs += calls_of_kind(IMPL_LIBRARY, c->specs + c->n_specs, LIBRARIES_MAX);
    snprintf(c->specs[c->n_specs++], AUTO_SPEC_SIZE, "auto");
}

/* Keeps the first `trees` trees of the ensemble and measures calls of all sizes on them. */
static enum status measure_trees(struct contest *c, uint32_t trees, struct error *error) {
    const struct map_axis *calls = &c->grid->calls;
    enum status status = STATUS_OK;
    ensemble_keep_first(c->ensemble, trees);
    c->workload.trees = trees;
    c->screened_call = 0;
    choose_specs(c);
    for (size_t i = 0; i < c->n_specs; i++)
        prepare_row(c, c->specs[i], &c->screened[i]);
    for (size_t i = 0; i < calls->count && !status; i++)
        status = measure_point(c, calls->values[i], error);
    free_rows(c->screened, c->n_specs);
    for (size_t i = 0; i < c->n_specs; i++) {
        scorer_destroy(c->scorers[i]);
        c->scorers[i] = NULL;
    }
    return status;
}

/* Grows the ensemble with the most trees, then measures it and its first trees. Smaller ensembles
 * need not be grown, because they consist of the first trees of a larger one. */
static enum status measure_leaves(struct contest *c, uint32_t leaves, struct error *error) {
    const struct map_axis *trees = &c->grid->trees;
    size_t count = trees->count;
    while (count > 0 && !map_asks(c->grid, leaves, trees->values[count - 1]))
        count--;
    if (count == 0)
        return STATUS_OK;
    const struct grown_shape shape = {.n_trees = trees->values[count - 1], .max_leaves = leaves};
    enum status status = synth_grown(c->documents, &shape, c->grid->seed, &c->ensemble, error);
    if (status)
        return status;
    c->workload.max_leaves = leaves;
    while (count-- > 0 && !status)
        status = measure_trees(c, trees->values[count], error);
    ensemble_free(c->ensemble);
    return status;
}

static enum status make_documents(struct contest *c, uint32_t features, struct error *error) {
    const struct data_set *kind;
    enum status status = data_set_find(kind_of_documents, &kind, error);
    if (status)
        return status;
    struct data_set like = *kind;
    like.features = features;
    return synth_standin(&like, c->grid->documents, c->grid->seed, &c->documents, error);
}

static enum status measure_features(struct contest *c, uint32_t features, struct error *error) {
    const struct map_axis *leaves = &c->grid->leaves;
    c->workload = (struct workload){.kind = "grown", .features = features, .seed = c->grid->seed};
    snprintf(c->workload.data, sizeof c->workload.data, "%s", kind_of_documents);
    enum status status = make_documents(c, features, error);
    if (status)
        return status;
    for (size_t i = 0; i < leaves->count && !status; i++)
        status = measure_leaves(c, leaves->values[i], error);
    matrix_free(c->documents);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status open_store(const struct map_grid *grid, const char *directory, enum again again,
                              note_function *note, struct store **store, struct error *error) {
    cJSON *manifest = machine_manifest();
    if (!manifest)
        return error_memory(error, "a map's manifest");
    enum status status = doctor_summarise(manifest, strcmp(grid->name, "smoke") != 0, error);
    if (status) {
        cJSON_Delete(manifest);
        return status;
    }
    errno = 0;
    cJSON_AddStringToObject(manifest, "scale", grid->name);
    cJSON_AddStringToObject(manifest, "clock", "cpu");
    cJSON_AddNumberToObject(manifest, "cells", (double)map_points(grid));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(manifest, "configs"), "map", grid->hash);
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        libraries_add(manifest, impls[i]->name);
    manifest = json_if_whole(manifest);
    if (!manifest)
        return error_memory(error, "a map's manifest");
    bool resume;
    status = again_open_store(directory, again, manifest, note, &resume, store, error);
    cJSON_Delete(manifest);
    return status;
}

enum status map_measure(const struct map_grid *grid, const char *directory, enum again again,
                        note_function *note, struct cells_tally *tally, struct error *error) {
    struct contest *c = calloc(1, sizeof *c);
    if (!c)
        return error_memory(error, "a map");
    c->grid = grid;
    c->note = note;
    enum status status = open_store(grid, directory, again, note, &c->store, error);
    if (!status)
        progress_begin(&c->progress, map_points(grid));
    for (size_t i = 0; i < grid->features.count && !status; i++)
        status = measure_features(c, grid->features.values[i], error);
    store_close(c->store);
    tally->found = c->progress.first;
    tally->measured = c->progress.done - c->progress.first;
    free(c);
    return status;
}
