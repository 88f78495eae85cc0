#include "harness/html/html_parts.h"

#include "harness/judge/compare.h"

#include <string.h>

/* Returns the other run's first row of the same variant at the same point, or NULL. */
static const struct row *find_other(const struct row_entry *entry, const struct row_index *other) {
    struct row_span span = row_index_find(other, &entry->point, entry->variant);
    return span.count ? span.entries[0].row : NULL;
}

/* An interval that excludes 1 resolves the change. */
static const char *change_name(struct interval interval) {
    return interval.low > 1 ? "slower" : interval.high < 1 ? "faster" : "not resolved";
}

static cJSON *change_json(const struct row_index *index, const struct row_index *other,
                          const struct row_entry *entry) {
    char where[POINT_TEXT_SIZE];
    point_describe(&entry->point, where, sizeof where);
    struct ratio ratio = compare_runs(index, other, &entry->point, entry->variant);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", entry->variant);
    cJSON_AddStringToObject(json, "point", where);
    cJSON_AddItemToObject(json, "value",
                          html_number(compare_time(index, &entry->point, entry->variant).mean));
    cJSON_AddItemToObject(json, "other",
                          html_number(compare_time(other, &entry->point, entry->variant).mean));
    cJSON_AddItemToObject(json, "ratio", html_number(ratio.value));
    cJSON_AddItemToObject(json, "low", html_number(ratio.interval.low));
    cJSON_AddItemToObject(json, "high", html_number(ratio.interval.high));
    cJSON_AddStringToObject(json, "change", change_name(ratio.interval));
    cJSON_AddItemToObject(json, "origin", html_row_origins(entry->row));
    return json;
}

cJSON *html_changes(const struct row_index *index, const struct row_index *other) {
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "changes");
    double missing = 0, unlike = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct row_entry *entry = &index->entries[i];
        if (!html_is_first(index, i) || entry->row->status != ROW_OK)
            continue;
        const struct row *row = find_other(entry, other);
        if (!row || row->status != ROW_OK)
            missing++;
        else if (row->workload.documents != entry->row->workload.documents)
            unlike++;
        else
            cJSON_AddItemToArray(list, change_json(index, other, entry));
    }
    cJSON_AddNumberToObject(json, "missing", missing);
    cJSON_AddNumberToObject(json, "unlike", unlike);
    return json;
}
