#include "harness/grid.h"

#include "base/memory.h"
#include "base/random.h"
#include "datasets/catalogue.h"
#include "harness/trained.h"
#include "synth/grown.h"
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
             "%d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32
             " %" PRIu64 " %" PRIu32 " %" PRIu32,
             ROW_SCHEMA, w->depth, w->features, w->trees, w->max_leaves, w->patience, w->documents,
             w->trial, w->seed, cell->rounds, cell->threads);
    uint64_t hash = hash_text(0xcbf29ce484222325u, text);
    hash = hash_text(hash_text(hash_text(hash, w->kind), w->model), w->data);
    hash = hash_text(hash, cell->parallel);
    for (size_t i = 0; i < cell->n_variants; i++) {
        hash = hash_text(hash, cell->variants[i]);
        if (cell->simulated[i])
            hash = hash_text(hash, "simulated");
    }
    snprintf(cell->key, sizeof cell->key, "%016" PRIx64, hash);
}

static bool same_point(const struct grid_cell *a, const struct grid_cell *b) {
    return a->workload.depth == b->workload.depth && a->workload.features == b->workload.features &&
           a->workload.trees == b->workload.trees &&
           a->workload.max_leaves == b->workload.max_leaves &&
           a->workload.patience == b->workload.patience && a->workload.trial == b->workload.trial &&
           a->threads == b->threads && strcmp(a->workload.kind, b->workload.kind) == 0 &&
           strcmp(a->workload.data, b->workload.data) == 0 && strcmp(a->parallel, b->parallel) == 0;
}

static enum status add_variants(struct grid_cell *cell, const struct artefact *artefact,
                                struct error *error) {
    for (size_t i = 0; i < artefact->n_variants; i++) {
        size_t k = 0;
        while (k < cell->n_variants && strcmp(cell->variants[k], artefact->variants[i]) != 0)
            k++;
        if (k == ARTEFACT_VARIANTS_MAX)
            return error_set(error, STATUS_INPUT,
                             "%s: the artefacts compare over %d variants at one point",
                             artefact->name, ARTEFACT_VARIANTS_MAX);
        memcpy(cell->variants[k], artefact->variants[i], ROW_NAME_SIZE);
        cell->simulated[k] |= artefact->is_simulated;
        cell->n_variants += k == cell->n_variants;
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

static enum status refuse_mixture(const struct grid_cell *cell, const struct artefact *artefact,
                                  const struct point *point, struct error *error) {
    char text[POINT_TEXT_SIZE];
    point_describe(point, text, sizeof text);
    return error_set(
        error, STATUS_INPUT,
        "%s: scale %s: at %s its seed and documents must be those of %s: reports could "
        "not tell the rows apart; change it, or run them apart by --only",
        artefact->name, artefact->scale.name, text, cell->artefacts);
}

struct workload grid_workload(const struct artefact *artefact, const struct panel *panel,
                              const struct point *point, uint32_t trial) {
    struct workload workload = {.depth = point->depth,
                                .features = point->features,
                                .trees = point->trees,
                                .max_leaves = point->max_leaves,
                                .patience = point->patience,
                                .documents = panel->documents,
                                .trial = trial,
                                .seed = artefact->seed};
    memcpy(workload.kind, point->kind, sizeof point->kind);
    memcpy(workload.data, point->data, sizeof point->data);
    return workload;
}

static struct grid_cell make_cell(const struct artefact *artefact, const struct panel *panel,
                                  const struct point *point, uint32_t trial) {
    struct grid_cell cell = {.workload = grid_workload(artefact, panel, point, trial),
                             .threads = point->threads};
    memcpy(cell.parallel, point->parallel, sizeof point->parallel);
    return cell;
}

static bool same_but_trees(const struct workload *a, const struct workload *b) {
    return a->depth == b->depth && a->features == b->features && a->max_leaves == b->max_leaves &&
           a->patience == b->patience && a->documents == b->documents && a->trial == b->trial &&
           a->seed == b->seed && strcmp(a->kind, b->kind) == 0 && strcmp(a->data, b->data) == 0;
}

/* Behind those of the same workload, so that its inputs are made once, and before those of fewer
 * trees, which grown ones begin with; else at the end. */
static size_t place_of(const struct cell_list *cells, const struct workload *workload) {
    size_t behind = cells->count;
    for (size_t i = 0; i < cells->count; i++) {
        const struct workload *other = &cells->list[i].workload;
        if (!same_but_trees(other, workload))
            continue;
        if (other->trees < workload->trees)
            return i;
        behind = i + 1;
    }
    return behind;
}

/* NULL: no memory. */
static struct grid_cell *insert_cell(struct cell_list *cells, const struct grid_cell *cell) {
    if (!memory_grow((void **)&cells->list, &cells->capacity, cells->count, sizeof *cells->list))
        return NULL;
    size_t at = place_of(cells, &cell->workload);
    memmove(&cells->list[at + 1], &cells->list[at], (cells->count - at) * sizeof *cells->list);
    cells->count++;
    cells->list[at] = *cell;
    return &cells->list[at];
}

static enum status add_point(struct cell_list *cells, const struct artefact *artefact,
                             const struct panel *panel, const struct point *point, uint32_t trial,
                             struct error *error) {
    struct grid_cell wanted = make_cell(artefact, panel, point, trial), *cell = NULL;
    for (size_t i = 0; i < cells->count && !cell; i++)
        if (same_point(&cells->list[i], &wanted))
            cell = &cells->list[i];
    if (!cell)
        cell = insert_cell(cells, &wanted);
    if (!cell)
        return error_memory(error, "the grid");
    if (cell->workload.documents != wanted.workload.documents ||
        cell->workload.seed != wanted.workload.seed)
        return refuse_mixture(cell, artefact, point, error);
    if (artefact->scale.rounds > cell->rounds)
        cell->rounds = artefact->scale.rounds;
    return add_variants(cell, artefact, error);
}

/* A point with each of the panel's numbers of threads. */
static enum status add_threads(struct cell_list *cells, const struct artefact *artefact,
                               const struct panel *panel, struct point point, uint32_t trial,
                               struct error *error) {
    enum status status = STATUS_OK;
    if (panel->n_threads == 0)
        return add_point(cells, artefact, panel, &point, trial, error);
    for (size_t i = 0; i < panel->n_threads_here && status == STATUS_OK; i++) {
        point.threads = panel->threads[i];
        status = add_point(cells, artefact, panel, &point, trial, error);
    }
    return status;
}

static enum status add_trial(struct cell_list *cells, const struct artefact *artefact,
                             uint32_t trial, struct error *error) {
    const struct scale *scale = &artefact->scale;
    enum status status = STATUS_OK;
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        for (size_t i = 0; i < panel->n_points && trial < panel->trials && status == STATUS_OK; i++)
            status = add_threads(cells, artefact, panel, panel->points[i], trial, error);
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
            if (!artefacts[a].is_quality && trial < artefacts[a].scale.trials)
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

static enum status make_synthetic(const struct workload *w, struct grid_inputs *made,
                                  struct error *error) {
    struct synth_shape shape = {.depth = w->depth, .n_features = w->features, .n_trees = w->trees};
    uint64_t point = ((uint64_t)w->depth << 48) ^ ((uint64_t)w->features << 16) ^ w->trial;
    uint64_t seed = random_derive(w->seed, point);
    enum status status = synth_trees(&shape, seed, &made->ensemble, error);
    if (status == STATUS_OK)
        status = synth_documents(made->ensemble, w->documents, random_derive(seed, 1),
                                 &made->documents, error);
    return status;
}

/* Trees grow on documents of which they then score the first; trials over the folds begin again
 * with the first fold. On fewer documents than a tree samples, leaves would be fewer than asked. */
static enum status make_grown(const struct workload *w, struct grid_inputs *made,
                              struct error *error) {
    const struct data_set *set;
    struct workload of_fold = *w;
    struct grown_shape shape = {.n_trees = w->trees, .max_leaves = w->max_leaves};
    enum status status = data_set_find(w->data, &set, error);
    if (status != STATUS_OK)
        return status;
    of_fold.trial = w->trial % (set->folds ? set->folds : 1);
    if (w->documents > 0 && w->documents < GROWN_ROWS)
        of_fold.documents = GROWN_ROWS;
    status = trained_documents(&of_fold, &made->documents, error);
    if (status == STATUS_OK)
        status = synth_grown(made->documents, &shape, random_derive(w->seed, w->trial),
                             &made->ensemble, error);
    if (status == STATUS_OK)
        trained_keep_first(made->documents, w->documents);
    return status;
}

/* Grown trees come one after the other: fewer of them are the beginning of more. */
static bool can_keep(const struct grid_inputs *inputs, const struct workload *workload) {
    return inputs->ensemble && same_but_trees(&inputs->workload, workload) &&
           (inputs->workload.trees == workload->trees ||
            (inputs->workload.trees > workload->trees && strcmp(workload->kind, "grown") == 0));
}

enum status grid_make_inputs(const char *directory, const struct workload *workload,
                             struct grid_inputs *inputs, struct error *error) {
    if (can_keep(inputs, workload)) {
        if (inputs->workload.trees > workload->trees)
            ensemble_keep_first(inputs->ensemble, workload->trees);
        inputs->workload = *workload;
        return STATUS_OK;
    }
    grid_free_inputs(inputs);
    enum status status;
    if (strcmp(workload->kind, "trained") == 0)
        status = trained_load(directory, workload, &inputs->ensemble, &inputs->documents, error);
    else if (strcmp(workload->kind, "grown") == 0)
        status = make_grown(workload, inputs, error);
    else
        status = make_synthetic(workload, inputs, error);
    if (status != STATUS_OK)
        grid_free_inputs(inputs);
    inputs->workload = *workload;
    return status;
}

void grid_free_inputs(struct grid_inputs *inputs) {
    ensemble_free(inputs->ensemble);
    matrix_free(inputs->documents);
    *inputs = (struct grid_inputs){.ensemble = NULL};
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
        rows[i].threads = cell->threads;
        memcpy(rows[i].parallel, cell->parallel, sizeof rows[i].parallel);
        grid_set_variant(&rows[i], cell->variants[i]);
    }
}
