#include "harness/artefacts/panels.h"

#include "base/files/json.h"
#include "base/number.h"
#include "datasets/catalogue.h"
#include "datasets/recipes/recipe.h"
#include "impls/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- axes ------------------------------------------------------------------------------------- */

static const char *const axis_names[] = {[AXIS_DEPTH] = "depth",
                                         [AXIS_MAX_LEAVES] = "max_leaves",
                                         [AXIS_TREES] = "trees",
                                         [AXIS_THREADS] = "threads",
                                         NULL};
static const struct {
    const char *title;
    uint32_t low, high;
} axes[] = {
    [AXIS_DEPTH] = {"d", 1, 20},
    [AXIS_MAX_LEAVES] = {"max leaves", 2, 4096},
    [AXIS_TREES] = {"trees", 1, 1000000},
    [AXIS_THREADS] = {"threads", 1, 1024},
};

const char *axis_name(enum axis axis) {
    return axis_names[axis];
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

static bool is_made(const struct scale *scale) {
    return strcmp(scale->kind, "made") == 0;
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

#define EFFORT                                                                                     \
    FIELD(struct scale, U32, "trials", trials, .low = 1, .high = TRIALS_LIMIT,                     \
          .help = "models and documents that are measured"),                                       \
        FIELD(struct scale, U32, "rounds", rounds, .low = 1, .high = ROUNDS_LIMIT,                 \
              .help = "samples of each variant")

static const char *const passes[] = {"cold", NULL};
static const struct record_field synthetic_fields[] = {
    FIELD(struct scale, TEXT, "passes", passes, .names = passes, .is_optional = true,
          .help = "`cold`: a sample is one pass in emptied caches"),
    KEY("depths", .help = "depths of the points"),
    KEY("features", .help = "numbers of features, one per panel"),
    KEY("documents", .help = "numbers of documents, one per panel"), EFFORT};
static const struct record synthetic_record = ARTEFACT_RECORD("a scale", synthetic_fields);

/* Reads a scale of balanced trees. It has one panel per number of features, with the depth as the
 * axis. */
static enum status read_synthetic(const char *name, const cJSON *json, struct scale *scale,
                                  struct error *error) {
    uint32_t depths[PANEL_POINTS_MAX], features[PANEL_POINTS_MAX], documents[PANEL_POINTS_MAX];
    size_t n_depths = 0, n_features = 0, n_documents = 0;
    enum status status = record_from_json(name, &synthetic_record, json, scale, error);
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
            memcpy(panel->points[d].passes, scale->passes, sizeof scale->passes);
        }
    }
    return STATUS_OK;
}

/* --- panels of ensembles ---------------------------------------------------------------------- */

/* A panel of the file. */
struct panel_file {
    const struct scale *scale;
    struct panel panel;
    struct point point; /* what all points share */
};

static bool of_forests(const void *data) {
    return is_forest(((const struct panel_file *)data)->scale);
}
static bool of_others(const void *data) {
    return !of_forests(data);
}
static bool of_data(const void *data) {
    return !is_made(((const struct panel_file *)data)->scale);
}
static bool of_depths(const void *data) {
    return of_forests(data) || !of_data(data);
}
static bool of_trained(const void *data) {
    return strcmp(((const struct panel_file *)data)->scale->kind, "trained") == 0;
}
static bool of_real_documents(const void *data) {
    return kind_is_trained(((const struct panel_file *)data)->scale->kind) || of_forests(data);
}

#define ONLY_FORESTS .applies = of_forests, .refusal = "only forests have it"
#define NO_FORESTS .applies = of_others, .refusal = "forests do not have it"
#define ONLY_TRAINED .applies = of_trained, .refusal = "only \"trained\" models have it"

static const char *const show_names[] = {
    [SHOW_TIME] = "time", [SHOW_PER_TREE] = "per-tree", [SHOW_THROUGHPUT] = "throughput", NULL};
static const char *const parallels[] = {"documents", "trees", "both", NULL};
static const char *const barriers[] = {"step", "pass", NULL};
static const struct record_field panel_fields[] = {
    FIELD(struct panel_file, TEXT, "title", panel.title, .help = "title"),
    FIELD(struct panel_file, TEXT, "data", point.data, .help = "data set", .applies = of_data,
          .refusal = "documents of \"made\" models are made too"),
    FIELD(struct panel_file, TEXT, "learner", point.kind, .names = forest_kinds, .help = "learner",
          ONLY_FORESTS),
    KEY("depth", .help = "depth, or limit of it", .applies = of_depths,
        .refusal = "only forests and \"made\" models have it"),
    KEY("max_leaves", .help = "limit of leaves", NO_FORESTS),
    KEY("trees", .help = "number of trees"),
    KEY("threads", .help = "numbers of threads"),
    FIELD(struct panel_file, TEXT, "parallel", point.parallel, .names = parallels,
          .is_optional = true, .help = "what threads share"),
    FIELD(struct panel_file, TEXT, "barrier", point.barrier, .names = barriers, .is_optional = true,
          .help = "when threads that share trees wait for each other"),
    KEY("documents", .help = "number of documents, or one a point"),
    FIELD(struct panel_file, U32, "trials", panel.trials, .low = 1, .high = TRIALS_LIMIT,
          .is_optional = true, .help = "trials, if fewer than those of the scale"),
    FIELD(struct panel_file, U32, "v", panel.v, .low = 1, .high = V_LIMIT, .is_optional = true,
          .help = "what v=panel means"),
    FIELD(struct panel_file, CHOICE, "show", panel.show, .names = show_names, .is_optional = true,
          .help = "what reports show"),
    FIELD(struct panel_file, U32, "patience", point.patience, .low = 1, .high = 1000000,
          .is_optional = true, .help = "when training stops", ONLY_TRAINED),
    FIELD(struct panel_file, U32, "features", panel.features, .low = 1, .high = FEATURES_LIMIT,
          .is_optional = true, .help = "columns of a stand-in", NO_FORESTS),
    FIELD(struct panel_file, U32, "seeds", panel.seeds, .low = 1, .high = SEEDS_LIMIT,
          .is_optional = true, .help = "models per trial", ONLY_TRAINED),
    FIELD(struct panel_file, U32, "resample", point.resample, .low = 1, .high = DOCUMENTS_LIMIT,
          .is_optional = true, .help = "number of documents to draw", .applies = of_real_documents,
          .refusal = "only \"trained\" models have it"),
};
static const struct record panel_record = ARTEFACT_RECORD("a panel", panel_fields);

static bool threads_share_trees(const struct point *point) {
    return point->parallel[0] && strcmp(point->parallel, "documents") != 0;
}

/* Threads that share trees have a barrier at the end of a pass unless the panel asks for one after
 * each step. */
static void default_barrier(struct point *point) {
    if (!threads_share_trees(point))
        point->barrier[0] = '\0';
    else if (point->barrier[0] == '\0')
        snprintf(point->barrier, sizeof point->barrier, "pass");
}

/* Results from drawn documents must be recognisable, so the panel's title says it. */
static enum status check_panel(const char *name, const struct panel_file *file, bool has_threads,
                               struct error *error) {
    const struct panel *panel = &file->panel;
    const struct point *point = &file->point;
    const struct data_set *set;
    struct error inner;
    if (panel->title[0] == '\0' || strpbrk(panel->title, "\","))
        return error_set(error, STATUS_INPUT,
                         "%s: title: must have 1 to %d characters and no quote or comma", name,
                         PANEL_TITLE_SIZE - 1);
    if (!is_made(file->scale) && data_set_find(point->data, &set, &inner) != STATUS_OK)
        return error_set(error, STATUS_INPUT, "%s: data: %s", name, inner.text);
    if (panel->trials > file->scale->trials)
        return error_set(error, STATUS_INPUT, "%s: trials: more than the scale's %" PRIu32, name,
                         file->scale->trials);
    if (panel->trials * panel->seeds > PANEL_MODELS_MAX)
        return error_set(error, STATUS_INPUT,
                         "%s: seeds: %" PRIu32 " trials of %" PRIu32
                         " models are more than %d models. Ask for fewer",
                         name, panel->trials, panel->seeds, PANEL_MODELS_MAX);
    if (point->resample && !strstr(panel->title, "resampled"))
        return error_set(error, STATUS_INPUT, "%s: title: must contain \"resampled\"", name);
    if (panel->show == SHOW_PER_TREE && point->patience)
        return error_set(error, STATUS_INPUT, "%s: show: per-tree needs models without patience",
                         name);
    if (has_threads && !point->parallel[0])
        return error_set(error, STATUS_INPUT, "%s: parallel: missing. Say what threads share",
                         name);
    if (point->barrier[0] && !threads_share_trees(point))
        return error_set(error, STATUS_INPUT, "%s: barrier: only threads that share trees have one",
                         name);
    if (is_made(file->scale) && panel->features == 0)
        return error_set(error, STATUS_INPUT, "%s: features: missing", name);
    return !is_forest(file->scale) || recipe_find(point->data)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%s: data: %s has no recipe for forests (docs/data-sets.md)", name,
                           point->data);
}

/* Forests have no number of leaves, and trained and grown models no depth. Made models have one of
 * the two: balanced trees a depth, and grown ones a number of leaves. */
static bool has_setting(const struct scale *scale, const cJSON *json, enum axis axis) {
    if (axis == AXIS_DEPTH || axis == AXIS_MAX_LEAVES)
        return is_made(scale) ? cJSON_HasObjectItem(json, axis_names[axis])
                              : axis == AXIS_MAX_LEAVES && !is_forest(scale);
    return axis == AXIS_TREES;
}

/* The points of made models are those of balanced or of grown trees. */
static enum status choose_made(const char *name, struct panel_file *file, struct error *error) {
    struct point *point = &file->point;
    if (!is_made(file->scale))
        return STATUS_OK;
    if ((point->depth > 0) == (point->max_leaves > 0))
        return error_set(error, STATUS_INPUT, "%s: must have either \"depth\" or \"max_leaves\"",
                         name);
    strcpy(point->kind, point->depth ? "synthetic" : "grown");
    point->features = file->panel.features;
    return STATUS_OK;
}

/* Reads the settings that are the axis of other panels: numbers of leaves, of trees, of threads. */
static enum status read_settings(const char *name, const cJSON *json, struct panel_file *file,
                                 struct error *error) {
    const enum axis x = file->scale->x;
    struct panel *panel = &file->panel;
    enum status status = STATUS_OK;
    for (enum axis axis = AXIS_DEPTH; axis < AXIS_THREADS && !status; axis++)
        if (axis != x && has_setting(file->scale, json, axis))
            status = json_get_u32(name, json, axis_names[axis], axes[axis].low, axes[axis].high,
                                  coordinate(&file->point, axis), error);
    if (status || x == AXIS_THREADS || !cJSON_HasObjectItem(json, axis_names[AXIS_THREADS]))
        return status;
    status = read_numbers(name, json, axis_names[AXIS_THREADS], axes[AXIS_THREADS].high, true,
                          panel->threads, &panel->n_threads, error);
    panel->n_threads_here = panel->n_threads;
    if (!status)
        file->point.threads = panel->threads[0];
    return status;
}

/* Reads the numbers of documents: one number for all points, or an array with one number per
 * point. */
static enum status read_documents(const char *name, const cJSON *json, size_t n_points,
                                  struct panel *panel, struct error *error) {
    uint32_t values[PANEL_POINTS_MAX] = {0};
    size_t count = 0;
    enum status status = STATUS_OK;
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(json, "documents");
    if (cJSON_IsArray(given))
        status =
            read_numbers(name, json, "documents", DOCUMENTS_LIMIT, false, values, &count, error);
    else if (given)
        status = json_get_u32(name, json, "documents", 0, DOCUMENTS_LIMIT, &values[0], error);
    if (!status && cJSON_IsArray(given) && count != n_points)
        status = error_set(error, STATUS_INPUT,
                           "%s: documents: must be one number, or one number per point (%zu)", name,
                           n_points);
    for (size_t i = 0; i < n_points; i++)
        panel->documents[i] = values[count ? i : 0];
    return status;
}

static enum status read_panel(const char *name, const cJSON *json, const struct scale *scale,
                              struct panel *panel, struct error *error) {
    struct panel_file file = {
        .scale = scale, .panel = {.trials = scale->trials, .seeds = 1}, .point = {.threads = 1}};
    uint32_t values[PANEL_POINTS_MAX] = {0};
    size_t count = 0;
    memcpy(file.point.kind, scale->kind, sizeof scale->kind);
    enum status status = record_from_json(name, &panel_record, json, &file, error);
    bool has_threads = scale->x == AXIS_THREADS || cJSON_HasObjectItem(json, "threads");
    if (!status)
        status = check_panel(name, &file, has_threads, error);
    if (!status)
        status = read_settings(name, json, &file, error);
    if (!status)
        status = choose_made(name, &file, error);
    if (!status)
        status = read_numbers(name, json, axis_names[scale->x], axes[scale->x].high, true, values,
                              &count, error);
    if (!status)
        status = read_documents(name, json, count, &file.panel, error);
    default_barrier(&file.point);
    *panel = file.panel;
    for (size_t i = 0; !status && i < count; i++) {
        panel->points[panel->n_points] = file.point;
        *coordinate(&panel->points[panel->n_points++], scale->x) = values[i];
    }
    return status;
}

static const char *const kinds[] = {"trained", "boosted", "bagged", "repeated",
                                    "grown",   "made",    "forest", NULL};
static const struct record_field scale_fields[] = {
    FIELD(struct scale, TEXT, "kind", kind, .names = kinds, .help = "kind of models"),
    FIELD(struct scale, CHOICE, "x", x, .names = axis_names, .help = "axis"),
    EFFORT,
    KEY("panels", .help = "plots, or tables"),
};
static const struct record scale_record = ARTEFACT_RECORD("a scale", scale_fields);

/* The axis of forests is the depth, and that of other models anything else. */
static enum status check_scale(const char *name, const struct scale *scale, int n_panels,
                               struct error *error) {
    if (is_forest(scale) != (scale->x == AXIS_DEPTH))
        return error_set(error, STATUS_INPUT, "%s: x: must be %s", name,
                         is_forest(scale) ? "\"depth\" for forests"
                                          : "\"max_leaves\", \"trees\" or \"threads\"");
    if (is_made(scale) && scale->x != AXIS_TREES)
        return error_set(error, STATUS_INPUT, "%s: x: must be \"trees\" for made models", name);
    if (is_forest(scale) && scale->trials > 1)
        return error_set(
            error, STATUS_INPUT,
            "%s: trials: must be 1 for forests, because their data sets have one split", name);
    if (n_panels < 1 || n_panels > PANELS_MAX)
        return error_set(error, STATUS_INPUT, "%s: panels: must be 1 to %d panels", name,
                         PANELS_MAX);
    return STATUS_OK;
}

static enum status check_titles(const char *name, const struct scale *scale, struct error *error) {
    for (size_t i = 0; i < scale->n_panels; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(scale->panels[i].title, scale->panels[k].title) == 0)
                return error_set(error, STATUS_INPUT, "%s: panels: two have the title \"%s\"", name,
                                 scale->panels[i].title);
    return STATUS_OK;
}

/* Reads a scale of ensembles. */
static enum status read_panels(const char *name, const cJSON *json, struct scale *scale,
                               struct error *error) {
    const cJSON *panels = NULL, *entry;
    enum status status = record_from_json(name, &scale_record, json, scale, error);
    if (!status)
        status = json_get_array(name, json, "panels", &panels, error);
    if (!status)
        status = check_scale(name, scale, cJSON_GetArraySize(panels), error);
    cJSON_ArrayForEach(entry, panels) {
        char where[ROW_PATH_SIZE];
        snprintf(where, sizeof where, "%s: panel %zu", name, scale->n_panels + 1);
        if (!status)
            status = read_panel(where, entry, scale, &scale->panels[scale->n_panels++], error);
    }
    return status ? status : check_titles(name, scale, error);
}

enum status scale_read(const char *name, const cJSON *json, struct scale *scale,
                       struct error *error) {
    *scale = (struct scale){.n_panels = 0};
    return cJSON_HasObjectItem(json, "panels") ? read_panels(name, json, scale, error)
                                               : read_synthetic(name, json, scale, error);
}

bool scale_next(const struct scale *scale, struct spot *at) {
    at->i += at->panel != NULL;
    while (at->p < scale->n_panels && at->i >= scale->panels[at->p].n_points) {
        at->p++;
        at->i = 0;
    }
    if (at->p >= scale->n_panels)
        return false;
    at->panel = &scale->panels[at->p];
    at->point = &at->panel->points[at->i];
    return true;
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

bool panel_is_resampled(const struct panel *panel) {
    return panel->n_points > 0 && panel->points[0].resample > 0;
}

uint64_t panel_documents(const struct panel *panel, enum axis x, const struct point *point) {
    for (size_t i = 0; i < panel->n_points; i++)
        if (point_x(&panel->points[i], x) == point_x(point, x))
            return panel->documents[i];
    return 0;
}

/* --- operands --------------------------------------------------------------------------------- */

void panel_variant(const struct panel *panel, const char *operand, char *variant, size_t size) {
    static const char own[] = "v=panel";
    size_t length = strcspn(operand, "@");
    bool asks = length >= sizeof own - 1 &&
                strncmp(operand + length - (sizeof own - 1), own, sizeof own - 1) == 0;
    if (asks && panel->v > 0)
        snprintf(variant, size, "%.*sv=%" PRIu32, (int)(length - (sizeof own - 1)), operand,
                 panel->v);
    else
        snprintf(variant, size, "%.*s", (int)length, operand);
}

/* Returns the number of threads that the text ("16", or "all" for the largest) selects among the
 * first n of the panel's numbers, or 0 if it selects none of them. A panel that lists no numbers
 * has only the number 1. */
static uint32_t named_threads(const struct panel *panel, size_t n, const char *text,
                              size_t length) {
    uint32_t wanted;
    if (length == 3 && strncmp(text, "all", 3) == 0)
        return n > 0 ? panel->threads[n - 1] : 0;
    if (number_parse_u32(text, text + length, &wanted) != text + length)
        return 0;
    if (panel->n_threads == 0 && wanted == 1)
        return 1;
    for (size_t i = 0; i < n; i++)
        if (panel->threads[i] == wanted)
            return wanted;
    return 0;
}

/* Returns the number of threads that an operand with "@" selects among the first n of the panel's
 * numbers, or 0 if it selects none of them. Sets *parallel to the word after "/", which states what
 * the threads share, or to "". */
static uint32_t operand_threads(const struct panel *panel, size_t n, const char *operand,
                                const char **parallel) {
    const char *name = strchr(operand, '@') + 1;
    size_t length = strcspn(name, "/");
    enum parallel found;
    *parallel = name[length] ? name + length + 1 : "";
    if (name[length] && !parallel_find(*parallel, &found))
        return 0;
    return named_threads(panel, n, name, length);
}

bool panel_operand_point(const struct panel *panel, const struct point *point, const char *operand,
                         struct point *at) {
    const char *parallel = "";
    *at = *point;
    if (strchr(operand, '@'))
        at->threads = operand_threads(panel, panel->n_threads_here, operand, &parallel);
    if (*parallel)
        snprintf(at->parallel, sizeof at->parallel, "%s", parallel);
    default_barrier(at);
    return at->threads > 0;
}

bool panel_knows_threads(const struct panel *panel, const char *operand) {
    const char *parallel;
    return !strchr(operand, '@') ||
           operand_threads(panel, panel->n_threads, operand, &parallel) > 0;
}
