#include "harness/artefacts/artefact_run.h"

#include "base/memory.h"
#include "harness/instruments/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who asks for an item. */
struct asker {
    const struct artefact *artefact;
    const struct point *point;
};

/* What is asked for. Each item has its asker. */
struct asked {
    struct json_list items;
    struct asker *askers;
    size_t capacity; /* of askers */
};

/* Adds what a point asks for, except items that another point or artefact asks for too. */
static enum status add_point(const struct artefact *artefact, const struct panel *panel,
                             const struct point *point, struct asked *asked, struct error *error) {
    const struct artefact_kind *kind = artefact->kind;
    struct json_list *items = &asked->items;
    for (size_t k = 0;; k++) {
        if (!memory_grow(&items->list, &items->capacity, items->count, kind->lines->size) ||
            !memory_grow((void **)&asked->askers, &asked->capacity, items->count,
                         sizeof *asked->askers))
            return error_memory(error, kind->lines->things);
        void *item = (char *)items->list + items->count * kind->lines->size;
        memset(item, 0, kind->lines->size);
        if (!kind->ask(artefact, panel, point, k, item))
            return STATUS_OK;
        if (json_list_find(kind->lines, items, item))
            continue;
        asked->askers[items->count++] = (struct asker){artefact, point};
    }
}

/* Lists the items of all shards, in the same order, so that each is measured by one shard. */
static enum status ask_all(const struct artefact_run *run, struct asked *asked,
                           struct error *error) {
    enum status status = STATUS_OK;
    for (size_t a = 0; a < run->n_artefacts; a++) {
        const struct artefact *artefact = &run->artefacts[a];
        for (struct spot at = {0};
             artefact->kind == run->kind && scale_next(&artefact->scale, &at);)
            if (!status)
                status = add_point(artefact, at.panel, at.point, asked, error);
    }
    return status;
}

static enum status measure(struct artefact_run *run, const struct asker *asker, void *item,
                           struct json_store *store, struct error *error) {
    bool is_missing = false;
    enum status status = run->kind->measure_item(run, asker->artefact, item, &is_missing, error);
    if (status || is_missing)
        return status;
    status = json_store_append(store, item, error);
    run->measured += !status;
    if (run->kind->lines->free)
        run->kind->lines->free(item);
    return status;
}

static enum status measure_all(struct artefact_run *run, const struct asked *asked,
                               struct error *error) {
    const struct json_lines *lines = run->kind->lines;
    struct json_store store;
    struct progress progress;
    enum status status = json_store_open(lines, run->directory, run->resume, &store, error);
    progress_begin(&progress, asked->items.count);
    for (size_t i = 0; i < asked->items.count && !status; i++) {
        void *item = (char *)asked->items.list + i * lines->size;
        char where[POINT_TEXT_SIZE], what[2 * POINT_TEXT_SIZE];
        if (!shard_has(run->shard, i) || json_list_find(lines, &store.found, item)) {
            run->found += shard_has(run->shard, i);
            progress_skip(&progress);
            continue;
        }
        point_describe(asked->askers[i].point, where, sizeof where);
        snprintf(what, sizeof what, "%s %s", run->kind->doing, where);
        progress_step(&progress, what);
        status = measure(run, &asked->askers[i], item, &store, error);
        progress_done(&progress);
    }
    json_store_close(&store);
    return status;
}

enum status artefact_run_count(const struct artefact_run *run, size_t *count, struct error *error) {
    struct asked asked = {.capacity = 0};
    enum status status = run->kind->ask ? ask_all(run, &asked, error) : STATUS_OK;
    *count += asked.items.count;
    free(asked.items.list);
    free(asked.askers);
    return status;
}

enum status artefact_run(struct artefact_run *run, struct error *error) {
    struct asked asked = {.capacity = 0};
    if (!run->kind->ask)
        return STATUS_OK;
    enum status status = ask_all(run, &asked, error);
    if (!status && asked.items.count > 0)
        status = measure_all(run, &asked, error);
    free(asked.items.list);
    free(asked.askers);
    return status;
}
