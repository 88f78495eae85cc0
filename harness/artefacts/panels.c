#include "harness/artefacts/panels.h"

#include "base/files/json.h"
#include "datasets/catalogue.h"
#include "datasets/recipes/recipe.h"
#include "harness/artefacts/artefact.h"
#include "impls/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- axes ------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *title;
    uint32_t high;
} axes[] = {
    [AXIS_DEPTH] = {"depth", "d", 20},
    [AXIS_MAX_LEAVES] = {"max_leaves", "max leaves", 4096},
    [AXIS_TREES] = {"trees", "trees", 1000000},
    [AXIS_THREADS] = {"threads", "threads", 1024},
};
#define AXES (sizeof axes / sizeof *axes)

const char *axis_name(enum axis axis) {
    return axes[axis].name;
}

const char *axis_title(enum axis axis) {
    return axes[axis].title;
}

static uint32_t *coordinate(struct point *point, enum axis axis) {
    switch (axis) {
    case AXIS_DEPTH:
        return &point->depth;
    case AXIS_MAX_LEAVES:
        return &point->max_leaves;
    case AXIS_TREES:
        return &point->trees;
    case AXIS_THREADS:
        break;
    }
    return &point->threads;
}

uint32_t point_x(const struct point *point, enum axis axis) {
    struct point copy = *point;
    return *coordinate(&copy, axis);
}

static bool is_forest(const struct scale *scale) {
    return strcmp(scale->kind, "forest") == 0;
}

bool scale_is_synthetic(const struct scale *scale) {
    return strcmp(scale->kind, "synthetic") == 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

#define DOCUMENTS_LIMIT (1u << 30)
enum { FEATURES_LIMIT = 1 << 20, TRIALS_LIMIT = 64, ROUNDS_LIMIT = 10000, V_LIMIT = 1024 };
enum { SEEDS_LIMIT = 100 };

/* Reads at most PANEL_POINTS_MAX whole numbers from 1 to `high`. If `growing`, they must increase:
 * they identify points, and claims refer to the first point and the last. */
static enum status read_numbers(const char *name, const cJSON *json, const char *key, uint32_t high,
                                bool growing, uint32_t *values, size_t *count,
                                struct error *error) {
    const cJSON *array = NULL, *item;
    enum status status = json_get_array(name, json, key, &array, error);
    if (status)
        return status;
    *count = 0;
    cJSON_ArrayForEach(item, array) {
        if (*count == PANEL_POINTS_MAX)
            return error_set(error, STATUS_INPUT, "%s: %s: more than %d numbers", name, key,
                             PANEL_POINTS_MAX);
        double value = item->valuedouble;
        if (!cJSON_IsNumber(item) || !(value >= 1 && value <= high) ||
            value != (double)(uint32_t)value)
            return error_set(error, STATUS_INPUT,
                             "%s: %s: must be whole numbers from 1 to %" PRIu32, name, key, high);
        if (growing && *count > 0 && value <= values[*count - 1])
            return error_set(error, STATUS_INPUT, "%s: %s: the numbers must increase", name, key);
        values[(*count)++] = (uint32_t)value;
    }
    if (*count == 0)
        return error_set(error, STATUS_INPUT, "%s: %s: must not be empty", name, key);
    return STATUS_OK;
}

static enum status read_effort(const char *name, const cJSON *json, struct scale *scale,
                               struct error *error) {
    enum status status = json_get_u32(name, json, "trials", 1, TRIALS_LIMIT, &scale->trials, error);
    if (!status)
        status = json_get_u32(name, json, "rounds", 1, ROUNDS_LIMIT, &scale->rounds, error);
    return status;
}

/* Reads a scale of balanced trees. It has one panel per number of features, with the depth as the
 * axis. */
static enum status read_synthetic(const char *name, const cJSON *json, struct scale *scale,
                                  struct error *error) {
    static const char *const keys[] = {"depths", "features", "documents", "trials", "rounds", NULL};
    uint32_t depths[PANEL_POINTS_MAX], features[PANEL_POINTS_MAX], documents[PANEL_POINTS_MAX];
    size_t n_depths = 0, n_features = 0, n_documents = 0;
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = read_numbers(name, json, "depths", axes[AXIS_DEPTH].high, true, depths, &n_depths,
                              error);
    if (!status)
        status = read_numbers(name, json, "features", FEATURES_LIMIT, true, features, &n_features,
                              error);
    if (!status)
        status = read_numbers(name, json, "documents", DOCUMENTS_LIMIT, false, documents,
                              &n_documents, error);
    if (!status && n_documents != n_features)
        status = error_set(error, STATUS_INPUT,
                           "%s: documents: must have one number per entry of \"features\" (%zu)",
                           name, n_features);
    if (!status)
        status = read_effort(name, json, scale, error);
    if (status)
        return status;
    scale->x = AXIS_DEPTH;
    strcpy(scale->kind, "synthetic");
    scale->n_panels = n_features;
    for (size_t f = 0; f < n_features; f++) {
        struct panel *panel = &scale->panels[f];
        *panel = (struct panel){.trials = scale->trials, .seeds = 1, .n_points = n_depths};
        snprintf(panel->title, sizeof panel->title, "f = %" PRIu32, features[f]);
        for (size_t d = 0; d < n_depths; d++) {
            panel->documents[d] = documents[f];
            panel->points[d] = (struct point){.kind = "synthetic",
                                              .depth = depths[d],
                                              .features = features[f],
                                              .trees = 1,
                                              .threads = 1};
        }
    }
    return STATUS_OK;
}

static enum status get_optional_u32(const char *name, const cJSON *json, const char *key,
                                    uint32_t low, uint32_t high, uint32_t *value,
                                    struct error *error) {
    return cJSON_HasObjectItem(json, key) ? json_get_u32(name, json, key, low, high, value, error)
                                          : STATUS_OK;
}

static enum status copy_text(const char *name, const cJSON *json, const char *key, char *text,
                             size_t size, struct error *error) {
    const char *value = "";
    enum status status = json_get_string(name, json, key, &value, error);
    if (!status && (*value == '\0' || strlen(value) >= size || strpbrk(value, "\",")))
        return error_set(error, STATUS_INPUT,
                         "%s: %s: must have 1 to %zu characters and no quote or comma", name, key,
                         size - 1);
    if (!status)
        snprintf(text, size, "%s", value);
    return status;
}

static enum status read_data(const char *name, const cJSON *json, struct point *point,
                             struct error *error) {
    const struct data_set *set;
    enum status status = copy_text(name, json, "data", point->data, sizeof point->data, error);
    struct error inner;
    if (!status && data_set_find(point->data, &set, &inner) != STATUS_OK)
        status = error_set(error, STATUS_INPUT, "%s: data: %s", name, inner.text);
    return status;
}

/* Reads the key "parallel", which states what threads share. A panel with threads must have this
 * key. */
static enum status read_parallel(const char *name, const cJSON *json, enum axis x,
                                 struct point *point, struct error *error) {
    bool given = cJSON_HasObjectItem(json, "parallel");
    if (!given && x != AXIS_THREADS && !cJSON_HasObjectItem(json, "threads"))
        return STATUS_OK;
    const char *text = "";
    enum status status = json_get_string(name, json, "parallel", &text, error);
    enum parallel parallel;
    if (!status && !parallel_find(text, &parallel))
        status = error_set(error, STATUS_INPUT,
                           "%s: parallel: must be \"documents\", \"trees\" or \"both\"", name);
    if (!status)
        snprintf(point->parallel, sizeof point->parallel, "%s", text);
    return status;
}

static bool threads_share_trees(const struct point *point) {
    return point->parallel[0] && strcmp(point->parallel, "documents") != 0;
}

/* Threads that share trees have a barrier at the end of a pass unless the panel asks for one after
 * each step. */
void point_default_barrier(struct point *point) {
    if (!threads_share_trees(point))
        point->barrier[0] = '\0';
    else if (point->barrier[0] == '\0')
        snprintf(point->barrier, sizeof point->barrier, "pass");
}

static enum status read_barrier(const char *name, const cJSON *json, struct point *point,
                                struct error *error) {
    const char *text = "";
    point_default_barrier(point);
    if (!cJSON_HasObjectItem(json, "barrier"))
        return STATUS_OK;
    enum status status = json_get_string(name, json, "barrier", &text, error);
    if (!status && !threads_share_trees(point))
        status = error_set(error, STATUS_INPUT,
                           "%s: barrier: only threads that share trees have one", name);
    if (!status && strcmp(text, "step") != 0 && strcmp(text, "pass") != 0)
        status = error_set(error, STATUS_INPUT, "%s: barrier: must be \"step\" or \"pass\"", name);
    if (!status)
        snprintf(point->barrier, sizeof point->barrier, "%s", text);
    return status;
}

/* Reads the learner of a forest, which is the kind of its workloads. */
static enum status read_learner(const char *name, const cJSON *json, struct point *point,
                                struct error *error) {
    const char *text = "";
    enum status status = json_get_string(name, json, "learner", &text, error);
    if (!status && !kind_is_forest(text))
        status =
            error_set(error, STATUS_INPUT,
                      "%s: learner: must be \"random-forest\", \"extra-trees\" or \"cart\"", name);
    if (!status && !recipe_find(point->data))
        status = error_set(error, STATUS_INPUT,
                           "%s: data: %s has no recipe for forests (docs/data-sets.md)", name,
                           point->data);
    if (!status)
        snprintf(point->kind, sizeof point->kind, "%s", text);
    return status;
}

/* Forests and other models do not share all keys. */
static enum status check_forest_keys(const char *name, const cJSON *json, const struct scale *scale,
                                     struct error *error) {
    static const char *const of_forests[] = {"learner", "depth", NULL}, *const of_others[] = {
                                                                            "max_leaves",
                                                                            "features", "patience",
                                                                            "seeds", NULL};
    const char *const *refused = is_forest(scale) ? of_others : of_forests;
    for (; *refused; refused++)
        if (cJSON_HasObjectItem(json, *refused))
            return error_set(error, STATUS_INPUT, "%s: %s: %s", name, *refused,
                             is_forest(scale) ? "forests do not have it" : "only forests have it");
    if (is_forest(scale) && scale->trials > 1)
        return error_set(
            error, STATUS_INPUT,
            "%s: trials: must be 1 for forests, because their data sets have one split", name);
    return STATUS_OK;
}

/* Reads the settings that are the same for all points of a panel. */
static enum status read_common(const char *name, const cJSON *json, const struct scale *scale,
                               struct point *point, struct error *error) {
    enum status status = read_data(name, json, point, error);
    if (!status)
        status = read_parallel(name, json, scale->x, point, error);
    if (!status)
        status = read_barrier(name, json, point, error);
    if (!status && is_forest(scale))
        status = read_learner(name, json, point, error);
    if (!status)
        status = check_forest_keys(name, json, scale, error);
    enum axis first = is_forest(scale) ? AXIS_TREES : AXIS_MAX_LEAVES;
    for (enum axis axis = first; axis < AXIS_THREADS && !status; axis++)
        if (axis != scale->x)
            status = json_get_u32(name, json, axes[axis].name, axis == AXIS_MAX_LEAVES ? 2 : 1,
                                  axes[axis].high, coordinate(point, axis), error);
    return status;
}

static enum status read_show(const char *name, const cJSON *json, struct panel *panel,
                             struct error *error) {
    static const char *const words[] = {
        [SHOW_TIME] = "time", [SHOW_PER_TREE] = "per-tree", [SHOW_THROUGHPUT] = "throughput"};
    if (!cJSON_HasObjectItem(json, "show"))
        return STATUS_OK;
    const char *show = "";
    enum status status = json_get_string(name, json, "show", &show, error);
    for (size_t i = 0; i < sizeof words / sizeof *words && !status; i++)
        if (strcmp(show, words[i]) == 0) {
            panel->show = (enum panel_show)i;
            return STATUS_OK;
        }
    return status ? status
                  : error_set(error, STATUS_INPUT,
                              "%s: show: must be \"time\", \"per-tree\" or \"throughput\"", name);
}

/* Reads the panel's list of numbers of threads, unless threads are the axis. */
static enum status read_threads(const char *name, const cJSON *json, enum axis x,
                                struct panel *panel, struct point *common, struct error *error) {
    if (x == AXIS_THREADS || !cJSON_HasObjectItem(json, axes[AXIS_THREADS].name))
        return STATUS_OK;
    enum status status = read_numbers(name, json, axes[AXIS_THREADS].name, axes[AXIS_THREADS].high,
                                      true, panel->threads, &panel->n_threads, error);
    panel->n_threads_here = panel->n_threads;
    if (!status)
        common->threads = panel->threads[0];
    return status;
}

/* Reads the numbers of documents: one number for all points, or an array with one number per
 * point. */
static enum status read_documents(const char *name, const cJSON *json, size_t n_points,
                                  struct panel *panel, struct error *error) {
    uint32_t values[PANEL_POINTS_MAX] = {0};
    size_t count = 0;
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, "documents"))) {
        uint32_t all = 0;
        enum status status =
            get_optional_u32(name, json, "documents", 0, DOCUMENTS_LIMIT, &all, error);
        for (size_t i = 0; i < n_points; i++)
            panel->documents[i] = all;
        return status;
    }
    enum status status =
        read_numbers(name, json, "documents", DOCUMENTS_LIMIT, false, values, &count, error);
    if (!status && count != n_points)
        return error_set(error, STATUS_INPUT,
                         "%s: documents: must be one number, or one number per point (%zu)", name,
                         n_points);
    for (size_t i = 0; i < count; i++)
        panel->documents[i] = values[i];
    return status;
}

/* Reads the number of models that are trained per trial. */
static enum status read_seeds(const char *name, const cJSON *json, const char *kind,
                              struct panel *panel, struct error *error) {
    if (!cJSON_HasObjectItem(json, "seeds"))
        return STATUS_OK;
    if (strcmp(kind, "trained") != 0)
        return error_set(error, STATUS_INPUT, "%s: seeds: only \"trained\" models have it", name);
    enum status status = json_get_u32(name, json, "seeds", 1, SEEDS_LIMIT, &panel->seeds, error);
    if (!status && panel->trials * panel->seeds > PANEL_MODELS_MAX)
        status = error_set(error, STATUS_INPUT,
                           "%s: seeds: %" PRIu32 " trials of %" PRIu32
                           " models are more than %d models. Ask for fewer",
                           name, panel->trials, panel->seeds, PANEL_MODELS_MAX);
    return status;
}

/* Reads the number of documents to draw. Results from drawn documents must be recognisable, so the
 * panel's title says it. */
static enum status read_resample(const char *name, const cJSON *json, const struct panel *panel,
                                 struct point *point, struct error *error) {
    if (!cJSON_HasObjectItem(json, "resample"))
        return STATUS_OK;
    if (strcmp(point->kind, "trained") != 0 && !kind_is_forest(point->kind))
        return error_set(error, STATUS_INPUT, "%s: resample: only \"trained\" models have it",
                         name);
    if (!strstr(panel->title, "resampled"))
        return error_set(error, STATUS_INPUT, "%s: title: must contain \"resampled\"", name);
    return json_get_u32(name, json, "resample", 1, DOCUMENTS_LIMIT, &point->resample, error);
}

static enum status read_panel(const char *name, const cJSON *json, const struct scale *scale,
                              struct panel *panel, struct error *error) {
    static const char *const keys[] = {"learner", "depth",    "title",    "data",     "max_leaves",
                                       "trees",   "threads",  "parallel", "barrier",  "documents",
                                       "trials",  "v",        "show",     "patience", "features",
                                       "seeds",   "resample", NULL};
    struct point common = {.threads = 1};
    uint32_t values[PANEL_POINTS_MAX] = {0};
    size_t count = 0;
    *panel = (struct panel){.trials = scale->trials, .seeds = 1};
    memcpy(common.kind, scale->kind, sizeof common.kind);
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = copy_text(name, json, "title", panel->title, sizeof panel->title, error);
    if (!status)
        status = read_common(name, json, scale, &common, error);
    if (!status)
        status = read_threads(name, json, scale->x, panel, &common, error);
    if (!status)
        status = read_numbers(name, json, axes[scale->x].name, axes[scale->x].high, true, values,
                              &count, error);
    if (!status && strcmp(scale->kind, "trained") == 0)
        status = get_optional_u32(name, json, "patience", 1, axes[AXIS_TREES].high,
                                  &common.patience, error);
    else if (!status && cJSON_HasObjectItem(json, "patience"))
        status =
            error_set(error, STATUS_INPUT, "%s: patience: only \"trained\" models have it", name);
    if (!status)
        status = read_documents(name, json, count, panel, error);
    if (!status)
        status =
            get_optional_u32(name, json, "features", 1, FEATURES_LIMIT, &panel->features, error);
    if (!status)
        status = get_optional_u32(name, json, "trials", 1, scale->trials, &panel->trials, error);
    if (!status)
        status = read_seeds(name, json, scale->kind, panel, error);
    if (!status)
        status = read_resample(name, json, panel, &common, error);
    if (!status)
        status = get_optional_u32(name, json, "v", 1, V_LIMIT, &panel->v, error);
    if (!status)
        status = read_show(name, json, panel, error);
    if (!status && panel->show == SHOW_PER_TREE && common.patience)
        status = error_set(error, STATUS_INPUT, "%s: show: per-tree needs models without patience",
                           name);
    for (size_t i = 0; !status && i < count; i++) {
        panel->points[panel->n_points] = common;
        *coordinate(&panel->points[panel->n_points++], scale->x) = values[i];
    }
    return status;
}

static enum status read_axis_name(const char *name, const cJSON *json, struct scale *scale,
                                  struct error *error) {
    const char *text = "";
    enum status status = json_get_string(name, json, "x", &text, error);
    if (status)
        return status;
    if (is_forest(scale)) {
        scale->x = AXIS_DEPTH;
        return strcmp(text, axes[AXIS_DEPTH].name) == 0
                   ? STATUS_OK
                   : error_set(error, STATUS_INPUT, "%s: x: must be \"depth\" for forests", name);
    }
    for (scale->x = AXIS_MAX_LEAVES; scale->x < AXES; scale->x++)
        if (strcmp(text, axes[scale->x].name) == 0)
            return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: x: must be \"max_leaves\", \"trees\" or \"threads\"",
                     name);
}

static enum status read_kind(const char *name, const cJSON *json, const char **kind,
                             struct error *error) {
    enum status status = json_get_string(name, json, "kind", kind, error);
    if (!status && strcmp(*kind, "trained") != 0 && strcmp(*kind, "grown") != 0 &&
        strcmp(*kind, "forest") != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: kind: must be \"trained\", \"grown\" or \"forest\"", name);
    return status;
}

static enum status check_titles(const char *name, const struct scale *scale, struct error *error) {
    for (size_t i = 0; i < scale->n_panels; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(scale->panels[i].title, scale->panels[k].title) == 0)
                return error_set(error, STATUS_INPUT, "%s: panels: two have the title \"%s\"", name,
                                 scale->panels[i].title);
    return STATUS_OK;
}

/* Reads a scale of ensembles. Its axis may be anything except the depth. */
static enum status read_panels(const char *name, const cJSON *json, struct scale *scale,
                               struct error *error) {
    static const char *const keys[] = {"kind", "x", "panels", "trials", "rounds", NULL};
    const char *kind = "";
    const cJSON *panels = NULL, *item;
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = read_kind(name, json, &kind, error);
    if (!status)
        snprintf(scale->kind, sizeof scale->kind, "%s", kind);
    if (!status)
        status = read_axis_name(name, json, scale, error);
    if (!status)
        status = read_effort(name, json, scale, error);
    if (!status)
        status = json_get_array(name, json, "panels", &panels, error);
    cJSON_ArrayForEach(item, panels) {
        char where[ROW_PATH_SIZE];
        snprintf(where, sizeof where, "%s: panel %zu", name, scale->n_panels + 1);
        if (!status && (scale->n_panels == PANELS_MAX || !cJSON_IsObject(item)))
            status = error_set(error, STATUS_INPUT,
                               "%s: must be an object, and at most %d panels are allowed", where,
                               PANELS_MAX);
        if (!status)
            status = read_panel(where, item, scale, &scale->panels[scale->n_panels++], error);
    }
    if (!status && scale->n_panels == 0)
        status = error_set(error, STATUS_INPUT, "%s: panels: must not be empty", name);
    return status ? status : check_titles(name, scale, error);
}

enum status scale_read(const char *name, const cJSON *json, struct scale *scale,
                       struct error *error) {
    *scale = (struct scale){.n_panels = 0};
    return cJSON_HasObjectItem(json, "panels") ? read_panels(name, json, scale, error)
                                               : read_synthetic(name, json, scale, error);
}

size_t scale_limit_threads(struct scale *scale, uint32_t cores) {
    size_t dropped = 0;
    for (size_t p = 0; p < scale->n_panels && cores > 0; p++) {
        struct panel *panel = &scale->panels[p];
        size_t kept = 0;
        for (size_t i = 0; i < panel->n_points; i++)
            if (panel->points[i].threads <= cores) {
                panel->documents[kept] = panel->documents[i];
                panel->points[kept++] = panel->points[i];
            }
        dropped += panel->n_points - kept;
        panel->n_points = kept;
        while (panel->n_threads_here > 0 && panel->threads[panel->n_threads_here - 1] > cores) {
            panel->n_threads_here--;
            dropped += kept;
        }
    }
    return dropped;
}

uint64_t panel_documents(const struct panel *panel, enum axis x, const struct point *point) {
    for (size_t i = 0; i < panel->n_points; i++)
        if (point_x(&panel->points[i], x) == point_x(point, x))
            return panel->documents[i];
    return 0;
}
