#include "harness/papers/quality_parts.h"

#include "base/memory.h"
#include "harness/artefacts/grid.h"
#include "harness/instruments/progress.h"
#include "harness/measure/workload.h"
#include "harness/rows/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_list {
    struct workload *list;
    size_t count, capacity;
};

static enum status want(struct model_list *models, const struct workload *workload,
                        struct error *error) {
    for (size_t i = 0; i < models->count; i++)
        if (workload_same(&models->list[i], workload))
            return STATUS_OK;
    if (!memory_grow((void **)&models->list, &models->capacity, models->count,
                     sizeof *models->list))
        return error_memory(error, "the models to train");
    models->list[models->count++] = *workload;
    return STATUS_OK;
}

static enum status want_fold(struct model_list *models, const struct artefact *artefact,
                             const struct panel *panel, const struct point *point, uint32_t fold,
                             struct error *error) {
    enum status status = STATUS_OK;
    for (uint32_t model = 0; model < panel->seeds && !status; model++) {
        struct workload workload = grid_model(artefact, panel, point, fold, model);
        status = want(models, &workload, error);
    }
    return status;
}

static enum status want_all(struct model_list *models, const struct artefact *artefact,
                            struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points; i++)
            for (uint32_t fold = 0; fold < panel->trials && !status; fold++)
                status = want_fold(models, artefact, panel, &panel->points[i], fold, error);
    }
    return status;
}

static enum status measure_and_store(const char *directory, const struct workload *workload,
                                     struct json_store *store, struct error *error) {
    struct trained trained;
    struct quality quality;
    enum status status = trained_make(directory, workload, &trained, error);
    if (status)
        return status;
    status = quality_measure(workload, &trained, &quality, error);
    if (!status) {
        status = json_store_append(store, &quality, error);
        quality_free(&quality);
    }
    trained_free(&trained);
    return status;
}

/* Describes the model that is being trained, for the line of progress. */
static void describe(const struct workload *w, char *what, size_t size) {
    if (kind_is_forest(w->kind))
        snprintf(what, size, "training %s on %.64s, depth %" PRIu32, w->kind, w->data, w->depth);
    else
        snprintf(what, size,
                 "training on %.64s, fold %" PRIu32 ", %" PRIu32 " leaves, seed %" PRIu64, w->data,
                 w->trial + 1, w->max_leaves, w->seed);
}

/* The models of all shards are listed in the same order, so that each is trained by one shard. */
static void take_shard(struct model_list *models, const struct shard *shard) {
    size_t kept = 0;
    for (size_t i = 0; i < models->count; i++)
        if (shard_has(shard, i))
            models->list[kept++] = models->list[i];
    models->count = kept;
}

static enum status measure_all(const struct model_list *models, struct artefact_run *run,
                               struct json_store *store, struct error *error) {
    struct progress progress;
    enum status status = STATUS_OK;
    progress_begin(&progress, models->count);
    for (size_t i = 0; i < models->count && !status; i++) {
        const struct workload *w = &models->list[i];
        if (quality_find(&store->found, w)) {
            progress_skip(&progress);
            run->found++;
            continue;
        }
        char what[128];
        describe(w, what, sizeof what);
        progress_step(&progress, what);
        status = measure_and_store(run->directory, w, store, error);
        progress_done(&progress);
        run->measured += !status;
    }
    return status;
}

enum status quality_run(struct artefact_run *run, struct error *error) {
    struct model_list models = {.count = 0};
    struct json_store store = {.what = NULL};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->n_artefacts && !status; i++)
        if (run->artefacts[i].kind == run->kind)
            status = want_all(&models, &run->artefacts[i], error);
    take_shard(&models, run->shard);
    if (!status && models.count > 0)
        status = json_store_open(run->kind->lines, run->directory, run->resume, &store, error);
    if (!status && models.count > 0)
        status = measure_all(&models, run, &store, error);
    json_store_close(&store);
    free(models.list);
    return status;
}
