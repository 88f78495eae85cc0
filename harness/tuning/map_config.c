#include "harness/tuning/map.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "harness/artefacts/artefact.h"
#include "synth/grown.h"

#include <inttypes.h>

enum { FEATURES_MOST = 10000, TREES_MOST = 1000000, CALLS_MOST = 1000000, ROUNDS_MOST = 1000 };
/* more than the rounds of screening, because the number of rounds tells sampled rows from screened
 * ones */
enum { ROUNDS_LEAST = 3 };

static enum status read_axis(const char *where, const cJSON *json, const char *key, uint32_t low,
                             uint32_t high, struct map_axis *axis, struct error *error) {
    const cJSON *list, *item;
    enum status status = json_get_array(where, json, key, &list, error);
    if (status)
        return status;
    axis->count = 0;
    cJSON_ArrayForEach(item, list) {
        double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        double least = axis->count ? axis->values[axis->count - 1] + 1.0 : low;
        if (axis->count == MAP_AXIS_MAX || !(value >= least && value <= high) ||
            value != (double)(uint32_t)value)
            axis->count = MAP_AXIS_MAX + 1;
        if (axis->count > MAP_AXIS_MAX)
            break;
        axis->values[axis->count++] = (uint32_t)value;
    }
    if (axis->count == 0 || axis->count > MAP_AXIS_MAX)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: must be 1 to %d increasing integers from %" PRIu32 " to %" PRIu32,
                         where, key, (int)MAP_AXIS_MAX, low, high);
    return STATUS_OK;
}

/* Returns the smallest number of documents that is enough for the largest call and for growing
 * trees. */
static uint32_t documents_least(const struct map_grid *grid) {
    uint32_t largest = grid->calls.values[grid->calls.count - 1];
    return largest > GROWN_ROWS ? largest : GROWN_ROWS;
}

static enum status read_scale(const char *where, const cJSON *json, struct map_grid *grid,
                              struct error *error) {
    static const char *const keys[] = {"features",  "leaves",      "trees",  "calls",
                                       "documents", "most_leaves", "rounds", NULL};
    enum status status = artefact_check_keys(where, json, keys, error);
    if (!status)
        status = read_axis(where, json, "features", 1, FEATURES_MOST, &grid->features, error);
    if (!status)
        status = read_axis(where, json, "leaves", 2, GROWN_MAX_LEAVES, &grid->leaves, error);
    if (!status)
        status = read_axis(where, json, "trees", 1, TREES_MOST, &grid->trees, error);
    if (!status)
        status = read_axis(where, json, "calls", 1, CALLS_MOST, &grid->calls, error);
    if (!status)
        status = json_get_u32(where, json, "documents", documents_least(grid), CALLS_MOST,
                              &grid->documents, error);
    if (!status)
        status = json_get_u32(where, json, "most_leaves", 1, UINT32_MAX, &grid->most_leaves, error);
    if (!status)
        status =
            json_get_u32(where, json, "rounds", ROUNDS_LEAST, ROUNDS_MOST, &grid->rounds, error);
    return status;
}

static enum status read_config(const char *path, const cJSON *json, const char *scale,
                               struct map_grid *grid, struct error *error) {
    static const char *const keys[] = {"seed", "scales", NULL};
    const cJSON *scales = NULL, *wanted = NULL;
    uint32_t seed = 0;
    char where[512];
    enum status status = artefact_check_keys(path, json, keys, error);
    if (!status)
        status = json_get_u32(path, json, "seed", 0, UINT32_MAX, &seed, error);
    if (!status)
        status = json_get_object(path, json, "scales", &scales, error);
    if (!status && !cJSON_HasObjectItem(scales, scale))
        status = artefact_refuse_scale(path, scales, scale, error);
    if (!status)
        status = json_get_object(path, scales, scale, &wanted, error);
    if (status)
        return status;
    grid->seed = seed;
    snprintf(grid->name, sizeof grid->name, "%s", scale);
    snprintf(where, sizeof where, "%s: %s", path, scale);
    return read_scale(where, wanted, grid, error);
}

enum status map_read(const char *path, const char *scale, struct map_grid *grid,
                     struct error *error) {
    struct file_text text;
    cJSON *json = NULL;
    *grid = (struct map_grid){.seed = 0};
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    artefact_hash(&text, grid->hash);
    status = json_parse(path, text.data, text.size, &json, error);
    if (!status)
        status = read_config(path, json, scale, grid, error);
    cJSON_Delete(json);
    file_text_free(&text);
    return status;
}

bool map_asks(const struct map_grid *grid, uint32_t leaves, uint32_t trees) {
    return (uint64_t)leaves * trees <= grid->most_leaves;
}

size_t map_points(const struct map_grid *grid) {
    size_t models = 0;
    for (size_t l = 0; l < grid->leaves.count; l++)
        for (size_t t = 0; t < grid->trees.count; t++)
            models += map_asks(grid, grid->leaves.values[l], grid->trees.values[t]);
    return models * grid->features.count * grid->calls.count;
}
