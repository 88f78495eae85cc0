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

/* The measuring of what is asked for. */
struct measuring {
    struct artefact_run *run;
    const struct asked *asked;
    struct json_store store;
    struct progress progress;
    enum status status; /* of the first item that failed */
    struct error *error;
};

static void *item_at(const struct measuring *m, size_t i) {
    return (char *)m->asked->items.list + i * m->run->kind->lines->size;
}

/* Returns false if the item is not to be measured. */
static bool begin_item(struct measuring *m, size_t i) {
    char where[POINT_TEXT_SIZE], what[2 * POINT_TEXT_SIZE];
    struct artefact_run *run = m->run;
    if (m->status)
        return false;
    if (!shard_has(run->shard, i) ||
        json_list_find(run->kind->lines, &m->store.found, item_at(m, i))) {
        run->found += shard_has(run->shard, i);
        progress_skip(&m->progress);
        return false;
    }
    point_describe(m->asked->askers[i].point, where, sizeof where);
    snprintf(what, sizeof what, "%s %s", run->kind->doing, where);
    progress_step(&m->progress, what);
    return true;
}

static enum status keep(struct measuring *m, void *item, struct error *error) {
    enum status status = json_store_append(&m->store, item, error);
    m->run->measured += !status;
    if (m->run->kind->lines->free)
        m->run->kind->lines->free(item);
    return status;
}

static void measure(struct measuring *m, size_t i) {
    struct error error;
    bool is_wanted, is_missing = false;
#pragma omp critical(artefact_items)
    is_wanted = begin_item(m, i);
    if (!is_wanted)
        return;
    enum status status = m->run->kind->measure_item(m->run, m->asked->askers[i].artefact,
                                                    item_at(m, i), &is_missing, &error);
#pragma omp critical(artefact_items)
    {
        if (!status && !is_missing)
            status = keep(m, item_at(m, i), &error);
        if (status && !m->status) {
            m->status = status;
            *m->error = error;
        }
        progress_done(&m->progress);
    }
}

static enum status measure_all(struct artefact_run *run, const struct asked *asked,
                               struct error *error) {
    struct measuring m = {.run = run, .asked = asked, .error = error};
    m.status = json_store_open(run->kind->lines, run->directory, run->resume, &m.store, error);
    progress_begin(&m.progress, asked->items.count);
#pragma omp parallel for schedule(dynamic) if (run->kind->is_untimed)
    for (size_t i = 0; i < asked->items.count; i++)
        measure(&m, i);
    json_store_close(&m.store);
    return m.status;
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
