#include "harness/artefacts/grid.h"

#include "base/memory.h"
#include "harness/measure/workload.h"
#include "impls/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if rows of the two cells would belong to the same point. If the documents come from
 * a data set, rows store no number of features in the point, so it does not count. */
static bool same_point(const struct cell *a, const struct cell *b) {
    struct workload workload = b->workload;
    workload.documents = a->workload.documents;
    workload.seed = a->workload.seed;
    if (workload.data[0])
        workload.features = a->workload.features;
    return workload_same(&a->workload, &workload) && a->threads == b->threads &&
           a->about_threads == b->about_threads && a->parallel == b->parallel &&
           a->barrier_each_step == b->barrier_each_step && a->is_cold == b->is_cold;
}

static enum status add_name(struct cell *cell, const char *name, struct error *error) {
    size_t used = strlen(cell->artefacts), room = sizeof cell->artefacts - used;
    if (artefact_is_listed(cell->artefacts, " ", name))
        return STATUS_OK;
    int length = snprintf(cell->artefacts + used, room, "%s%s", used ? " " : "", name);
    return (size_t)length < room
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%s: too many artefacts share one point. Run fewer with --only", name);
}

/* Adds the variant `only` to the cell. If `only` is NULL, adds all variants of the artefact. */
static enum status add_variants(struct cell *cell, const struct artefact *artefact,
                                const char *only, struct error *error) {
    for (size_t i = 0; i < artefact->n_variants; i++) {
        size_t k = 0;
        if (only && strcmp(only, artefact->variants[i]) != 0)
            continue;
        while (k < cell->n_variants && strcmp(cell->variants[k], artefact->variants[i]) != 0)
            k++;
        if (k == CELL_VARIANTS_MAX)
            return error_set(error, STATUS_INPUT,
                             "%s: the chosen artefacts compare more than %d variants at one point. "
                             "Run fewer artefacts with --only",
                             artefact->name, CELL_VARIANTS_MAX);
        memcpy(cell->variants[k], artefact->variants[i], ROW_NAME_SIZE);
        cell->simulated[k] |= artefact->kind->is_simulated;
        cell->n_variants += k == cell->n_variants;
    }
    return add_name(cell, artefact->name, error);
}

struct cell_list {
    struct cell *list;
    size_t count, capacity;
};

static enum status refuse_mixture(const struct cell *cell, const struct artefact *artefact,
                                  const struct point *point, struct error *error) {
    char text[POINT_TEXT_SIZE];
    point_describe(point, text, sizeof text);
    return error_set(
        error, STATUS_INPUT,
        "%s: scale %s: at %s its seed, documents or features differ from those of %s, so reports "
        "cannot distinguish the rows. Make them equal, or run the artefacts separately with --only",
        artefact->name, artefact->scale.name, text, cell->artefacts);
}

struct workload grid_workload(const struct artefact *artefact, const struct panel *panel,
                              const struct point *point, uint32_t trial) {
    struct workload workload = {.depth = point->depth,
                                .features = panel->features ? panel->features : point->features,
                                .trees = point->trees,
                                .max_leaves = point->max_leaves,
                                .patience = point->patience,
                                .resample = point->resample,
                                .documents = panel_documents(panel, artefact->scale.x, point),
                                .trial = trial,
                                .seed = artefact->seed};
    memcpy(workload.kind, point->kind, sizeof point->kind);
    memcpy(workload.data, point->data, sizeof point->data);
    return workload;
}

struct workload grid_model(const struct artefact *artefact, const struct panel *panel,
                           const struct point *point, uint32_t fold, uint32_t model) {
    struct workload workload = grid_workload(artefact, panel, point, fold);
    workload.seed += model;
    return workload;
}

static struct cell make_cell(const struct artefact *artefact, const struct panel *panel,
                             const struct point *point, uint32_t trial) {
    struct cell cell = {.workload = grid_workload(artefact, panel, point, trial),
                        .threads = point->threads};
    cell.about_threads = parallel_find(point->parallel, &cell.parallel);
    cell.barrier_each_step = strcmp(point->barrier, "step") == 0;
    cell.is_cold = strcmp(point->passes, "cold") == 0;
    return cell;
}

/* Returns the place of a new cell in the list. Cells with the same workload are adjacent, so that
 * the workload's inputs are made only once. Among workloads that differ only in the number of
 * trees, the one with the most trees comes first: smaller grown ensembles are its first trees. */
static size_t place_of(const struct cell_list *cells, const struct workload *workload) {
    size_t behind = cells->count;
    for (size_t i = 0; i < cells->count; i++) {
        const struct workload *other = &cells->list[i].workload;
        if (!workload_same_except_trees(other, workload))
            continue;
        if (other->trees < workload->trees)
            return i;
        behind = i + 1;
    }
    return behind;
}

/* Inserts a copy of the cell and returns it. Returns NULL if memory runs out. */
static struct cell *insert_cell(struct cell_list *cells, const struct cell *cell) {
    if (!memory_grow((void **)&cells->list, &cells->capacity, cells->count, sizeof *cells->list))
        return NULL;
    size_t at = place_of(cells, &cell->workload);
    memmove(&cells->list[at + 1], &cells->list[at], (cells->count - at) * sizeof *cells->list);
    cells->count++;
    cells->list[at] = *cell;
    return &cells->list[at];
}

/* Returns false if other variants of the cell are simulated with other caches. */
static bool take_caches(struct cell *cell, const struct simulated_caches *caches) {
    for (size_t i = 0; i < cell->n_variants; i++)
        if (cell->simulated[i] && memcmp(&cell->caches, caches, sizeof *caches) != 0)
            return false;
    cell->caches = *caches;
    return true;
}

static enum status refuse_caches(const struct cell *cell, const struct artefact *artefact,
                                 struct error *error) {
    return error_set(error, STATUS_INPUT,
                     "%s: caches: differ from those of %s, which shares a point. Run the artefacts "
                     "separately with --only",
                     artefact->name, cell->artefacts);
}

static enum status add_point(struct cell_list *cells, const struct artefact *artefact,
                             const struct panel *panel, const struct point *point, uint32_t trial,
                             const char *only, struct error *error) {
    struct cell wanted = make_cell(artefact, panel, point, trial), *cell = NULL;
    for (size_t i = 0; i < cells->count && !cell; i++)
        if (same_point(&cells->list[i], &wanted))
            cell = &cells->list[i];
    if (!cell)
        cell = insert_cell(cells, &wanted);
    if (!cell)
        return error_memory(error, "the grid");
    if (cell->workload.documents != wanted.workload.documents ||
        cell->workload.seed != wanted.workload.seed ||
        cell->workload.features != wanted.workload.features)
        return refuse_mixture(cell, artefact, point, error);
    if (artefact->kind->is_simulated && !take_caches(cell, &artefact->caches))
        return refuse_caches(cell, artefact, error);
    if (artefact->scale.rounds > cell->rounds)
        cell->rounds = artefact->scale.rounds;
    return add_variants(cell, artefact, only, error);
}

/* Adds the point once for each of the panel's numbers of threads that this machine has the cores
 * for. If the panel has no such numbers, adds the point as it is. */
static enum status add_threads(struct cell_list *cells, const struct artefact *artefact,
                               const struct panel *panel, struct point point, uint32_t trial,
                               struct error *error) {
    enum status status = STATUS_OK;
    if (panel->n_threads == 0)
        return add_point(cells, artefact, panel, &point, trial, NULL, error);
    for (size_t i = 0; i < panel->n_threads_here && !status; i++) {
        point.threads = panel->threads[i];
        status = add_point(cells, artefact, panel, &point, trial, NULL, error);
    }
    return status;
}

/* Searches `json` for operands that name what threads share, as in "qs@16/trees". Adds a cell for
 * each, in which only the operand's variant is measured. */
static enum status add_operands(struct cell_list *cells, const struct artefact *artefact,
                                const struct panel *panel, const struct point *point,
                                uint32_t trial, const cJSON *json, struct error *error) {
    const char *text = cJSON_IsString(json) ? json->valuestring : "", *name = strchr(text, '@');
    enum status status = STATUS_OK;
    struct point at;
    char variant[ROW_NAME_SIZE];
    panel_variant(panel, text, variant, sizeof variant);
    if (name && strchr(name, '/') && artefact_has_variant(artefact, variant) &&
        panel_operand_point(panel, point, text, &at))
        status = add_point(cells, artefact, panel, &at, trial, variant, error);
    for (const cJSON *item = json ? json->child : NULL; item && !status; item = item->next)
        status = add_operands(cells, artefact, panel, point, trial, item, error);
    return status;
}

/* Adds all cells of one trial at a point. */
static enum status add_cells(struct cell_list *cells, const struct artefact *artefact,
                             const struct panel *panel, const struct point *point, uint32_t trial,
                             struct error *error) {
    static const char *const places[] = {"figure", "table", "tables", "claims"};
    enum status status = add_threads(cells, artefact, panel, *point, trial, error);
    for (size_t i = 0; i < sizeof places / sizeof *places && !status; i++)
        status = add_operands(cells, artefact, panel, point, trial,
                              cJSON_GetObjectItemCaseSensitive(artefact->json, places[i]), error);
    return status;
}

static enum status add_trial(struct cell_list *cells, const struct artefact *artefact,
                             uint32_t trial, struct error *error) {
    const struct scale *scale = &artefact->scale;
    enum status status = STATUS_OK;
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        for (size_t i = 0; i < panel->n_points && trial < panel->trials && !status; i++)
            status = add_cells(cells, artefact, panel, &panel->points[i], trial, error);
    }
    return status;
}

enum status grid_build(const struct artefact *artefacts, size_t n_artefacts, struct cell **cells,
                       size_t *n_cells, struct error *error) {
    struct cell_list made = {0};
    enum status status = STATUS_OK;
    uint32_t trials = 0;
    for (size_t a = 0; a < n_artefacts; a++)
        if (artefacts[a].scale.trials > trials)
            trials = artefacts[a].scale.trials;
    for (uint32_t trial = 0; trial < trials; trial++)
        for (size_t a = 0; a < n_artefacts && !status; a++)
            if (artefacts[a].kind->is_timed && trial < artefacts[a].scale.trials)
                status = add_trial(&made, &artefacts[a], trial, error);
    if (status) {
        free(made.list);
        return status;
    }
    for (size_t i = 0; i < made.count; i++)
        cell_set_key(&made.list[i]);
    *cells = made.list;
    *n_cells = made.count;
    return STATUS_OK;
}
