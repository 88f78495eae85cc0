#include "harness/artefacts/shard.h"

#include "base/files/file.h"
#include "base/files/temporary.h"
#include "base/number.h"
#include "harness/rows/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status shard_parse(const char *text, struct shard *shard, struct error *error) {
    const char *end = text + strlen(text);
    struct shard read = {0, 0};
    const char *at = number_parse_u32(text, end, &read.number);
    if (at && *at == '/')
        at = number_parse_u32(at + 1, end, &read.count);
    else
        at = NULL;
    if (at != end || read.number < 1 || read.number > read.count || read.count > SHARDS_MAX)
        return error_set(error, STATUS_INPUT,
                         "--shard: '%.40s' is not I/N with 1 <= I <= N <= %d, such as 2/3", text,
                         SHARDS_MAX);
    *shard = read;
    return STATUS_OK;
}

void shard_print(const struct shard *shard, char text[static SHARD_TEXT_SIZE]) {
    snprintf(text, SHARD_TEXT_SIZE, "%" PRIu32 "/%" PRIu32, shard->number, shard->count);
}

/* The stores of the merged run. Those of kinds are opened when something is added. */
struct merging {
    const char *directory;
    struct store *rows;
    struct json_store stores[ARTEFACT_KINDS_MAX];
    cJSON *manifest; /* of the merged run */
    size_t n_shards;
    struct merge_tally *tally;
};

/* --- joining one shard ------------------------------------------------------------------------ */

static enum status add_cells(struct merging *merging, const struct rows *rows,
                             struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rows->count && !status; i += rows->list[i].cell_rows) {
        const struct row *cell = &rows->list[i];
        if (store_has_cell(merging->rows, cell->cell)) {
            merging->tally->again++;
            continue;
        }
        status = store_append_cell(merging->rows, cell, cell->cell_rows, error);
        merging->tally->cells += !status;
    }
    return status;
}

/* Appends the items of a shard that the merged run does not have. */
static enum status add_items(struct merging *merging, size_t kind, const struct json_list *items,
                             const struct json_list *merged, struct error *error) {
    const struct json_lines *what = artefact_kinds[kind]->lines;
    struct json_store *store = &merging->stores[kind];
    enum status status = items->count > 0 && !store->what
                             ? json_store_open(what, merging->directory, false, store, error)
                             : STATUS_OK;
    for (size_t i = 0; i < items->count && !status; i++) {
        const void *item = (const char *)items->list + i * what->size;
        if (json_list_find(what, merged, item)) {
            merging->tally->again++;
            continue;
        }
        status = json_store_append(store, item, error);
        merging->tally->items[kind] += !status;
    }
    return status;
}

/* Adds what the shard has of a kind that is not stored in rows. */
static enum status add_lines(struct merging *merging, size_t kind, const char *shard,
                             struct error *error) {
    const struct json_lines *what = artefact_kinds[kind]->lines;
    struct json_list items, merged;
    if (!what)
        return STATUS_OK;
    enum status status = json_list_load(what, shard, &items, error);
    if (status)
        return status;
    status = json_list_load(what, merging->directory, &merged, error);
    if (!status)
        status = add_items(merging, kind, &items, &merged, error);
    json_list_free(what, &merged);
    json_list_free(what, &items);
    return status;
}

/* Opens the merged run. Its manifest is that of the first shard, without its number. */
static enum status begin(struct merging *merging, const char *shard, const cJSON *manifest,
                         note_function *note, struct error *error) {
    const cJSON *configs = cJSON_GetObjectItemCaseSensitive(manifest, "configs");
    if (cJSON_HasObjectItem(configs, "map"))
        return error_set(error, STATUS_INPUT, "%s: holds a map. Only parts of a run are merged",
                         shard);
    merging->manifest = cJSON_Duplicate(manifest, true);
    cJSON_DeleteItemFromObject(merging->manifest, "shard");
    cJSON_AddNumberToObject(merging->manifest, "parts", (double)merging->n_shards);
    return store_open(merging->directory, false, merging->manifest, note, &merging->rows, error);
}

static enum status check_shard(const struct merging *merging, const char *shard, cJSON *manifest,
                               struct error *error) {
    cJSON_DeleteItemFromObject(manifest, "shard");
    const char *key = store_manifest_difference(merging->manifest, manifest);
    return key ? error_set(error, STATUS_INPUT,
                           "%s: not a part of the same run as the first: their manifests differ in "
                           "%s, so their times are not comparable",
                           shard, key)
               : STATUS_OK;
}

static enum status add_shard(struct merging *merging, const char *shard, note_function *note,
                             struct error *error) {
    struct rows rows;
    enum status status = store_load(shard, &rows, error);
    if (status)
        return status;
    status = merging->rows ? check_shard(merging, shard, rows.manifest, error)
                           : begin(merging, shard, rows.manifest, note, error);
    if (!status)
        status = add_cells(merging, &rows, error);
    for (size_t kind = 0; artefact_kinds[kind] && !status; kind++)
        status = add_lines(merging, kind, shard, error);
    rows_free(&rows);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

static void merging_close(struct merging *merging) {
    store_close(merging->rows);
    for (size_t kind = 0; artefact_kinds[kind]; kind++)
        json_store_close(&merging->stores[kind]);
    cJSON_Delete(merging->manifest);
}

static enum status finish(const char *directory, struct merge_tally *tally, struct error *error) {
    struct rows rows;
    enum status status = store_load(directory, &rows, error);
    if (status)
        return status;
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(rows.manifest, "cells");
    if (cJSON_IsNumber(all) && all->valuedouble > (double)tally->cells)
        tally->missing = (size_t)all->valuedouble - tally->cells;
    status = store_write_csv(directory, &rows, error);
    rows_free(&rows);
    return status;
}

static enum status merge_into(const char *aside, const char *const *shards, size_t n_shards,
                              note_function *note, struct merge_tally *tally, struct error *error) {
    struct merging merging = {.directory = aside, .n_shards = n_shards, .tally = tally};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n_shards && !status; i++)
        status = add_shard(&merging, shards[i], note, error);
    merging_close(&merging);
    return status ? status : finish(aside, tally, error);
}

enum status merge_shards(const char *const *shards, size_t n_shards, const char *directory,
                         note_function *note, struct merge_tally *tally, struct error *error) {
    const char *files[3 + ARTEFACT_KINDS_MAX] = {"rows.jsonl", "rows.csv", "manifest.json"};
    size_t n_files = 3;
    struct temporary_folder aside;
    for (size_t kind = 0; artefact_kinds[kind]; kind++)
        if (artefact_kinds[kind]->lines)
            files[n_files++] = artefact_kinds[kind]->lines->file;
    *tally = (struct merge_tally){.cells = 0};
    if (access(directory, F_OK) == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: exists already. Give another --out, or remove it", directory);
    enum status status = temporary_folder_make(directory, files, n_files, &aside, error);
    if (!status)
        status = merge_into(aside.path, shards, n_shards, note, tally, error);
    if (!status && !temporary_folder_rename(&aside, directory))
        status = error_set(error, STATUS_IO, "%s: cannot give the finished folder this name: %s",
                           directory, strerror(errno));
    temporary_folder_remove(&aside);
    if (!status)
        file_sync_folder(directory);
    return status;
}
