#include "harness/tuning/atlas.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/hash.h"
#include "harness/judge/compare.h"
#include "harness/tuning/atlas_parts.h"
#include "harness/tuning/map_report.h"
#include "impls/scorer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what won at a point ---------------------------------------------------------------------- */

void atlas_add_number(cJSON *object, const char *key, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

void atlas_add_ratio(cJSON *object, const char *key, struct ratio ratio) {
    cJSON *made = cJSON_AddObjectToObject(object, key);
    atlas_add_number(made, "value", ratio.value);
    atlas_add_number(made, "low", ratio.interval.low);
    atlas_add_number(made, "high", ratio.interval.high);
}

/* The two fastest variants of a point. auto chooses one of the others, so it does not compete. */
struct podium {
    const struct row_entry *first, *second, *chosen;
    double first_ns, second_ns;
    size_t variants;
};

static void enter(struct podium *podium, const struct row_entry *entry, double ns) {
    if (strcmp(entry->row->impl, "auto") == 0) {
        podium->chosen = entry;
        return;
    }
    podium->variants++;
    if (!podium->first || ns < podium->first_ns) {
        podium->second = podium->first;
        podium->second_ns = podium->first_ns;
        podium->first = entry;
        podium->first_ns = ns;
    } else if (!podium->second || ns < podium->second_ns) {
        podium->second = entry;
        podium->second_ns = ns;
    }
}

/* Baselines score nothing, so they cannot win. */
static bool is_baseline(const char *name) {
    const struct impl *impl = impl_find(name, NULL);
    return impl && impl->kind == IMPL_BASELINE;
}

/* Entries are sorted by variant, and each trial has one. */
static struct podium podium_of(const struct row_index *index, struct row_span span) {
    struct podium podium = {.variants = 0};
    for (size_t i = 0; i < span.count; i++) {
        const struct row_entry *entry = &span.entries[i];
        if ((i > 0 && strcmp(entry[-1].variant, entry->variant) == 0) ||
            is_baseline(entry->row->impl))
            continue;
        double ns = compare_time(index, &entry->point, entry->variant).mean;
        if (!isnan(ns))
            enter(&podium, entry, ns);
    }
    return podium;
}

static cJSON *workload_entry(const struct row_index *index, const struct podium *podium) {
    const struct row *row = podium->first->row;
    char where[POINT_TEXT_SIZE];
    cJSON *made = cJSON_CreateObject();
    point_describe(&podium->first->point, where, sizeof where);
    cJSON_AddStringToObject(made, "where", where);
    cJSON_AddStringToObject(made, "kind", row->workload.kind);
    cJSON_AddStringToObject(made, "note", row->note);
    cJSON_AddNumberToObject(made, "documents", (double)row->workload.documents);
    cJSON_AddNumberToObject(made, "trees", row->model_trees);
    cJSON_AddNumberToObject(made, "threads", row->threads);
    cJSON_AddNumberToObject(made, "variants", (double)podium->variants);
    cJSON_AddStringToObject(made, "winner", podium->first->variant);
    atlas_add_number(made, "ns_per_document", podium->first_ns);
    cJSON_AddStringToObject(made, "second", podium->second->variant);
    atlas_add_ratio(made, "second_to_winner",
                    compare_ratio(index, &podium->first->point, podium->second->variant,
                                  podium->first->variant));
    if (podium->chosen)
        atlas_add_ratio(made, "auto_to_winner",
                        compare_ratio(index, &podium->first->point, podium->chosen->variant,
                                      podium->first->variant));
    else
        cJSON_AddNullToObject(made, "auto_to_winner");
    return made;
}

static size_t add_workloads(const struct row_index *index, cJSON *list) {
    size_t added = 0;
    for (size_t i = 0; i < index->count;) {
        struct row_span span = row_index_at(index, &index->entries[i].point);
        struct podium podium = podium_of(index, span);
        if (podium.second) {
            cJSON_AddItemToArray(list, workload_entry(index, &podium));
            added++;
        }
        i += span.count > 0 ? span.count : 1;
    }
    return added;
}

/* --- the entry -------------------------------------------------------------------------------- */

static void copy_parts(const cJSON *manifest, cJSON *entry) {
    static const char *const keys[] = {"cpu", "build", "scale", "clock", "libraries"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *part = cJSON_GetObjectItemCaseSensitive(manifest, keys[i]);
        cJSON_AddItemToObject(entry, keys[i],
                              part ? cJSON_Duplicate(part, true) : cJSON_CreateNull());
    }
}

/* The hash of the entry's text without its checksum. False if memory runs out. */
static bool checksum_of(const cJSON *entry, char checksum[static 17]) {
    cJSON *copy = cJSON_Duplicate(entry, true);
    cJSON_DeleteItemFromObject(copy, "checksum");
    char *text = copy ? cJSON_PrintUnformatted(copy) : NULL;
    cJSON_Delete(copy);
    if (text)
        snprintf(checksum, 17, "%016" PRIx64, hash_bytes(HASH_START, text, strlen(text)));
    free(text);
    return text != NULL;
}

/* "AMD EPYC 9454 48-Core" becomes "amd-epyc-9454-48-core". */
static void append_slug(const char *text, char *name, size_t size) {
    size_t used = strlen(name);
    for (; *text && used + 1 < size; text++) {
        bool is_plain = isalnum((unsigned char)*text) != 0;
        if (is_plain)
            name[used++] = (char)tolower((unsigned char)*text);
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    name[used] = '\0';
}

static void make_name(const struct row_index *index, const char *checksum,
                      char name[static ATLAS_NAME_SIZE]) {
    name[0] = '\0';
    append_slug(rows_manifest_text(index->rows, "cpu", "model"), name, 48);
    append_slug("-", name, 50);
    append_slug(rows_manifest_text(index->rows, NULL, "scale"), name, 70);
    size_t used = strlen(name);
    snprintf(name + used, ATLAS_NAME_SIZE - used, "-%.8s.json", checksum);
}

/* Refuses a part of a run: who won there says nothing about the rest. */
static enum status check_whole(const struct rows *rows, struct error *error) {
    const cJSON *asked = cJSON_GetObjectItemCaseSensitive(rows->manifest, "cells");
    size_t cells = 0;
    for (size_t i = 0; i < rows->count; i++) /* the rows of a cell are adjacent */
        cells += i == 0 || strcmp(rows->list[i].cell, rows->list[i - 1].cell) != 0;
    if (cJSON_HasObjectItem(rows->manifest, "shard"))
        return error_set(error, STATUS_INPUT,
                         "this is one part of a run. Join the parts with treebench merge first");
    if (cJSON_IsNumber(asked) && (double)cells < asked->valuedouble)
        return error_set(error, STATUS_INPUT,
                         "%zu of the run's %.0f cells are measured. Continue with --resume first",
                         cells, asked->valuedouble);
    return STATUS_OK;
}

/* Adds all but the checksum. */
static enum status fill_entry(const struct row_index *index, cJSON *made, size_t *workloads,
                              struct error *error) {
    cJSON_AddNumberToObject(made, "schema", ATLAS_SCHEMA);
    copy_parts(index->rows->manifest, made);
    cJSON *list = cJSON_AddArrayToObject(made, "workloads");
    if (map_is_run(index->rows))
        return atlas_add_map(index->rows, list, workloads, error);
    *workloads = add_workloads(index, list);
    return STATUS_OK;
}

enum status atlas_entry_make(const struct row_index *index, cJSON **entry,
                             char name[static ATLAS_NAME_SIZE], struct error *error) {
    enum status status = check_whole(index->rows, error);
    if (status)
        return status;
    errno = 0;
    size_t workloads = 0;
    cJSON *made = cJSON_CreateObject();
    status = fill_entry(index, made, &workloads, error);
    char checksum[17] = "";
    bool is_whole = errno != ENOMEM && checksum_of(made, checksum) &&
                    cJSON_AddStringToObject(made, "checksum", checksum);
    if (!status && !is_whole)
        status = error_memory(error, "the entry of the atlas");
    if (!status && workloads == 0)
        status = error_set(error, STATUS_INPUT,
                           "the run has no point at which two implementations were timed");
    if (!status)
        status = atlas_check_types("manifest.json", made, error);
    if (status) {
        cJSON_Delete(made);
        return status;
    }
    make_name(index, checksum, name);
    *entry = made;
    return STATUS_OK;
}

enum status atlas_entry_write(const char *folder, const char *name, const cJSON *entry,
                              struct error *error) {
    struct file_writer writer;
    char *path = NULL, *text = cJSON_Print(entry);
    enum status status = text && asprintf(&path, "%s/%s", folder, name) >= 0
                             ? file_make_directories(folder, error)
                             : error_memory(error, "the entry of the atlas");
    if (!status)
        status = file_write_begin(&writer, path, error);
    if (!status) {
        fprintf(writer.stream, "%s\n", text);
        status = file_write_commit(&writer, error);
    }
    free(path);
    free(text);
    return status;
}

/* --- checking --------------------------------------------------------------------------------- */

static enum status check(const char *path, const cJSON *entry, struct error *error) {
    const char *stored = NULL;
    char checksum[17];
    uint32_t schema;
    if (!cJSON_IsObject(entry))
        return error_set(error, STATUS_INPUT, "%s: not an entry of the atlas", path);
    enum status status =
        json_get_u32(path, entry, "schema", ATLAS_SCHEMA, ATLAS_SCHEMA, &schema, error);
    if (!status)
        status = json_get_string(path, entry, "checksum", &stored, error);
    if (status)
        return status;
    if (!checksum_of(entry, checksum))
        return error_memory(error, path);
    if (strcmp(stored, checksum) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: its checksum is %s, but its content has %s: it was damaged or "
                         "edited. Make it again with treebench submit",
                         path, stored, checksum);
    return atlas_check_types(path, entry, error);
}

enum status atlas_entry_read(const char *path, cJSON **entry, struct error *error) {
    *entry = NULL;
    enum status status = json_read(path, entry, error);
    if (!status)
        status = check(path, *entry, error);
    if (!status)
        return STATUS_OK;
    cJSON_Delete(*entry);
    *entry = NULL;
    return status;
}
