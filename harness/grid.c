#include "harness/grid.h"

#include "base/memory.h"
#include "base/random.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text) { /* FNV-1a, the final NUL included */
    do {
        hash ^= (unsigned char)*text;
        hash *= 0x100000001b3u;
    } while (*text++);
    return hash;
}

void grid_set_key(struct grid_cell *cell) {
    const struct workload *w = &cell->workload;
    char text[256];
    snprintf(text, sizeof text,
             "%d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu32,
             ROW_SCHEMA, w->depth, w->features, w->trees, w->documents, w->trial, w->seed,
             cell->rounds);
    uint64_t hash = hash_text(0xcbf29ce484222325u, text);
    hash = hash_text(hash_text(hash_text(hash, w->kind), w->model), w->data);
    for (size_t i = 0; i < cell->n_variants; i++)
        hash = hash_text(hash, cell->variants[i]);
    snprintf(cell->key, sizeof cell->key, "%016" PRIx64, hash);
}

static bool same_point(const struct workload *a, const struct workload *b) {
    return a->depth == b->depth && a->features == b->features && a->trial == b->trial;
}

static enum status add_variants(struct grid_cell *cell, const struct artefact *artefact,
                                struct error *error) {
    for (size_t i = 0; i < artefact->n_variants; i++) {
        size_t k = 0;
        while (k < cell->n_variants && strcmp(cell->variants[k], artefact->variants[i]) != 0)
            k++;
        if (k < cell->n_variants)
            continue;
        if (k == ARTEFACT_VARIANTS_MAX)
            return error_set(error, STATUS_INPUT,
                             "%s: the artefacts compare over %d variants at one point",
                             artefact->name, ARTEFACT_VARIANTS_MAX);
        memcpy(cell->variants[cell->n_variants++], artefact->variants[i], ROW_NAME_SIZE);
    }
    size_t used = strlen(cell->artefacts), room = sizeof cell->artefacts - used;
    int length = snprintf(cell->artefacts + used, room, "%s%s", used ? " " : "", artefact->name);
    return (size_t)length < room ? STATUS_OK
                                 : error_set(error, STATUS_INPUT,
                                             "%s: too many artefacts share one point: run fewer by "
                                             "--only",
                                             artefact->name);
}

struct cell_list {
    struct grid_cell *list;
    size_t count, capacity;
};

static enum status add_point(struct cell_list *cells, const struct artefact *artefact,
                             const struct workload *workload, struct error *error) {
    struct grid_cell *cell = NULL;
    for (size_t i = 0; i < cells->count && !cell; i++)
        if (same_point(&cells->list[i].workload, workload))
            cell = &cells->list[i];
    if (!cell) {
        if (!memory_grow((void **)&cells->list, &cells->capacity, cells->count,
                         sizeof *cells->list))
            return error_memory(error, "the grid");
        cell = &cells->list[cells->count++];
        *cell = (struct grid_cell){.workload = *workload};
    }
    /* Reports know a point by its depth and features. */
    if (cell->workload.documents != workload->documents || cell->workload.seed != workload->seed)
        return error_set(error, STATUS_INPUT,
                         "%s: scale %s: at depth %" PRIu32 ", %" PRIu32
                         " features its seed and documents must be those of %s: reports could not "
                         "tell the rows apart; change it, or run them apart by --only",
                         artefact->name, artefact->scale.name, workload->depth, workload->features,
                         cell->artefacts);
    if (artefact->scale.rounds > cell->rounds)
        cell->rounds = artefact->scale.rounds;
    return add_variants(cell, artefact, error);
}

static enum status add_trial(struct cell_list *cells, const struct artefact *artefact,
                             uint32_t trial, struct error *error) {
    const struct scale *scale = &artefact->scale;
    enum status status = STATUS_OK;
    for (size_t f = 0; f < scale->n_features; f++)
        for (size_t d = 0; d < scale->n_depths && status == STATUS_OK; d++) {
            struct workload workload = {.kind = "synthetic",
                                        .depth = scale->depths[d],
                                        .features = scale->features[f],
                                        .trees = 1,
                                        .documents = scale->documents[f],
                                        .trial = trial,
                                        .seed = artefact->seed};
            status = add_point(cells, artefact, &workload, error);
        }
    return status;
}

enum status grid_build(const struct artefact *artefacts, size_t n_artefacts,
                       struct grid_cell **cells, size_t *n_cells, struct error *error) {
    struct cell_list made = {0};
    enum status status = STATUS_OK;
    uint32_t trials = 0;
    for (size_t a = 0; a < n_artefacts; a++)
        if (artefacts[a].scale.trials > trials)
            trials = artefacts[a].scale.trials;
    for (uint32_t trial = 0; trial < trials; trial++)
        for (size_t a = 0; a < n_artefacts && status == STATUS_OK; a++)
            if (trial < artefacts[a].scale.trials)
                status = add_trial(&made, &artefacts[a], trial, error);
    if (status != STATUS_OK) {
        free(made.list);
        return status;
    }
    for (size_t i = 0; i < made.count; i++)
        grid_set_key(&made.list[i]);
    *cells = made.list;
    *n_cells = made.count;
    return STATUS_OK;
}

enum status grid_make_workload(const struct workload *w, struct ensemble **ensemble,
                               struct matrix **documents, struct error *error) {
    struct synth_shape shape = {.depth = w->depth, .n_features = w->features, .n_trees = w->trees};
    uint64_t point = ((uint64_t)w->depth << 48) ^ ((uint64_t)w->features << 16) ^ w->trial;
    uint64_t seed = random_derive(w->seed, point);
    enum status status = synth_trees(&shape, seed, ensemble, error);
    if (status != STATUS_OK)
        return status;
    status = synth_documents(*ensemble, w->documents, random_derive(seed, 1), documents, error);
    if (status != STATUS_OK)
        ensemble_free(*ensemble);
    return status;
}

void grid_set_variant(struct row *row, const char *variant) {
    size_t name = strcspn(variant, ",");
    snprintf(row->impl, sizeof row->impl, "%.*s", (int)name, variant);
    snprintf(row->params, sizeof row->params, "%s", variant[name] ? variant + name + 1 : "");
}

void grid_prepare_rows(const struct grid_cell *cell, struct row *rows) {
    for (size_t i = 0; i < cell->n_variants; i++) {
        row_init(&rows[i]);
        memcpy(rows[i].cell, cell->key, sizeof rows[i].cell);
        rows[i].cell_rows = (uint32_t)cell->n_variants;
        memcpy(rows[i].artefacts, cell->artefacts, sizeof rows[i].artefacts);
        rows[i].workload = cell->workload;
        grid_set_variant(&rows[i], cell->variants[i]);
    }
}
