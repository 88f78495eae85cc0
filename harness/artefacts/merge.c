#include "harness/artefacts/merge.h"

#include "base/files/file.h"
#include "base/files/temporary.h"
#include "harness/quality/code_size.h"
#include "harness/quality/quality_store.h"
#include "harness/rows/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The stores of the merged run. Those of models and sizes are NULL until something is added. */
struct merging {
    const char *directory;
    struct store *rows;
    struct quality_store *models;
    struct code_store *sizes;
    cJSON *manifest; /* of the merged run */
    size_t n_shards;
    struct merge_tally *tally;
};

/* --- one shard -------------------------------------------------------------------------------- */

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

static enum status add_models(struct merging *merging, const char *shard, struct error *error) {
    struct quality_list models, merged;
    enum status status = quality_load(shard, &models, error);
    if (status)
        return status;
    status = quality_load(merging->directory, &merged, error);
    if (status) {
        quality_list_free(&models);
        return status;
    }
    if (models.count > 0 && !merging->models)
        status = quality_store_open(merging->directory, false, &merging->models, error);
    for (size_t i = 0; i < models.count && !status; i++) {
        if (quality_find(&merged, &models.list[i].workload)) {
            merging->tally->again++;
            continue;
        }
        status = quality_store_append(merging->models, &models.list[i], error);
        merging->tally->models += !status;
    }
    quality_list_free(&merged);
    quality_list_free(&models);
    return status;
}

static enum status add_sizes(struct merging *merging, const char *shard, struct error *error) {
    struct code_sizes sizes, merged;
    enum status status = code_sizes_load(shard, &sizes, error);
    if (status)
        return status;
    status = code_sizes_load(merging->directory, &merged, error);
    if (status) {
        code_sizes_free(&sizes);
        return status;
    }
    if (sizes.count > 0 && !merging->sizes)
        status = code_store_open(merging->directory, false, &merging->sizes, error);
    for (size_t i = 0; i < sizes.count && !status; i++) {
        if (code_sizes_find(&merged, &sizes.list[i].subject, sizes.list[i].compiler)) {
            merging->tally->again++;
            continue;
        }
        status = code_store_append(merging->sizes, &sizes.list[i], error);
        merging->tally->sizes += !status;
    }
    code_sizes_free(&merged);
    code_sizes_free(&sizes);
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
    if (!status)
        status = add_models(merging, shard, error);
    if (!status)
        status = add_sizes(merging, shard, error);
    rows_free(&rows);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

static void merging_close(struct merging *merging) {
    store_close(merging->rows);
    if (merging->models)
        quality_store_close(merging->models);
    code_store_close(merging->sizes);
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
    static const char *const files[] = {"rows.jsonl", "rows.csv", "manifest.json", "quality.jsonl",
                                        "sizes.jsonl"};
    struct temporary_folder aside;
    *tally = (struct merge_tally){.cells = 0};
    if (access(directory, F_OK) == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: exists already. Give another --out, or remove it", directory);
    enum status status =
        temporary_folder_make(directory, files, sizeof files / sizeof *files, &aside, error);
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
