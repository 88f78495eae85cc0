/* Workloads of a map. Its points differ in the number of documents per call, which points of other
 * runs do not, and most of its times were only screened. So its winners are those of the map. */
#include "harness/tuning/atlas_parts.h"
#include "harness/tuning/map_regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_variant(cJSON *object, const char *key, const struct row *row) {
    char variant[2 * ROW_NAME_SIZE];
    row_variant(row, variant, sizeof variant);
    cJSON_AddStringToObject(object, key, variant);
}

/* The number of implementations that were timed at the point, without auto. */
static size_t count_rivals(const struct rows *rows, const struct map_point *point) {
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        count += row->status == ROW_OK && strcmp(row->cell, point->winner->cell) == 0 &&
                 (!point->choice.row || strcmp(row->impl, point->choice.row->impl) != 0);
    }
    return count;
}

static cJSON *workload_of(const struct rows *rows, const struct map_point *point) {
    const struct row *row = point->winner;
    char where[96];
    cJSON *made = cJSON_CreateObject();
    snprintf(where, sizeof where,
             "%" PRIu32 " features, %" PRIu32 " leaves, %" PRIu32 " trees, %" PRIu32 " per call",
             point->features, point->leaves, point->trees, point->call);
    cJSON_AddStringToObject(made, "where", where);
    cJSON_AddStringToObject(made, "kind", row->workload.kind);
    cJSON_AddStringToObject(made, "note", row->note);
    cJSON_AddNumberToObject(made, "documents", (double)row->workload.documents);
    cJSON_AddNumberToObject(made, "trees", point->trees);
    cJSON_AddNumberToObject(made, "threads", row->threads);
    cJSON_AddNumberToObject(made, "variants", (double)count_rivals(rows, point));
    add_variant(made, "winner", row);
    atlas_add_number(made, "ns_per_document", row->median);
    add_variant(made, "second", point->second.row);
    atlas_add_ratio(made, "second_to_winner", point->second.ratio);
    if (point->choice.row)
        atlas_add_ratio(made, "auto_to_winner", point->choice.ratio);
    else
        cJSON_AddNullToObject(made, "auto_to_winner");
    return made;
}

enum status atlas_add_map(const struct rows *rows, cJSON *list, size_t *added,
                          struct error *error) {
    struct map_regions regions;
    enum status status = map_regions_make(rows, &regions, error);
    if (status)
        return status;
    for (size_t i = 0; i < regions.count; i++) {
        if (!regions.points[i].winner || !regions.points[i].second.row)
            continue;
        cJSON_AddItemToArray(list, workload_of(rows, &regions.points[i]));
        *added += 1;
    }
    map_regions_free(&regions);
    return STATUS_OK;
}
