#include "harness/quality_run.h"

#include "base/memory.h"
#include "harness/grid.h"
#include "harness/progress.h"
#include "harness/quality_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    struct workload *list;
    size_t count, capacity;
};

static bool same_model(const struct workload *a, const struct workload *b) {
    return memcmp(a, b, sizeof *a) == 0; /* both were made by grid_workload, from zeros */
}

static enum status want(struct wanted *wanted, const struct workload *workload,
                        struct error *error) {
    for (size_t i = 0; i < wanted->count; i++)
        if (same_model(&wanted->list[i], workload))
            return STATUS_OK;
    if (!memory_grow((void **)&wanted->list, &wanted->capacity, wanted->count,
                     sizeof *wanted->list))
        return error_memory(error, "the models to train");
    wanted->list[wanted->count++] = *workload;
    return STATUS_OK;
}

static enum status want_all(struct wanted *wanted, const struct artefact *artefact,
                            struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points; i++)
            for (uint32_t fold = 0; fold < panel->trials && status == STATUS_OK; fold++) {
                struct workload workload = grid_workload(artefact, panel, &panel->points[i], fold);
                status = want(wanted, &workload, error);
            }
    }
    return status;
}

static enum status measure_and_store(const char *directory, const struct workload *workload,
                                     struct quality_store *store, struct error *error) {
    struct trained trained;
    struct quality quality;
    enum status status = trained_make(directory, workload, &trained, error);
    if (status != STATUS_OK)
        return status;
    status = quality_measure(workload, &trained, &quality, error);
    if (status == STATUS_OK) {
        status = quality_store_append(store, &quality, error);
        quality_free(&quality);
    }
    trained_free(&trained);
    return status;
}

static enum status measure_all(const char *directory, const struct wanted *wanted,
                               struct quality_store *store, struct quality_tally *tally,
                               struct error *error) {
    struct progress progress;
    enum status status = STATUS_OK;
    progress_begin(&progress, wanted->count);
    for (size_t i = 0; i < wanted->count && status == STATUS_OK; i++) {
        const struct workload *w = &wanted->list[i];
        if (quality_store_has(store, w)) {
            progress_skip(&progress);
            tally->found++;
            continue;
        }
        char what[128];
        snprintf(what, sizeof what, "training on %.64s, fold %" PRIu32 ", %" PRIu32 " leaves",
                 w->data, w->trial + 1, w->max_leaves);
        progress_step(&progress, what);
        status = measure_and_store(directory, w, store, error);
        progress_done(&progress);
        tally->measured += status == STATUS_OK;
    }
    return status;
}

enum status quality_run(const char *directory, bool resume, const struct artefact *artefacts,
                        size_t n_artefacts, struct quality_tally *tally, struct error *error) {
    struct wanted wanted = {.count = 0};
    struct quality_store *store = NULL;
    enum status status = STATUS_OK;
    *tally = (struct quality_tally){.measured = 0};
    for (size_t i = 0; i < n_artefacts && status == STATUS_OK; i++)
        if (artefacts[i].is_quality)
            status = want_all(&wanted, &artefacts[i], error);
    if (status == STATUS_OK && wanted.count > 0)
        status = quality_store_open(directory, resume, &store, error);
    if (status == STATUS_OK && wanted.count > 0)
        status = measure_all(directory, &wanted, store, tally, error);
    quality_store_close(store);
    free(wanted.list);
    return status;
}
