#include "harness/quality/quality_store.h"

#include "base/memory.h"
#include "harness/measure/workload.h"
#include "harness/rows/json_lines.h"

#include <stdlib.h>

struct quality_store {
    struct lines lines;
    struct quality_list found; /* the lines that the file had when it was opened */
};

/* --- reading ---------------------------------------------------------------------------------- */

struct reading {
    struct quality_list *qualities;
    size_t capacity;
};

static enum status read_quality(void *context, const char *name, const cJSON *json,
                                struct error *error) {
    struct reading *reading = context;
    struct quality_list *qualities = reading->qualities;
    if (!memory_grow((void **)&qualities->list, &reading->capacity, qualities->count,
                     sizeof *qualities->list))
        return error_memory(error, name);
    enum status status = quality_from_json(name, json, &qualities->list[qualities->count], error);
    qualities->count += !status;
    return status;
}

static const struct json_lines file = {"quality.jsonl", "models", "a model", read_quality};

enum status quality_load(const char *directory, struct quality_list *qualities,
                         struct error *error) {
    struct reading reading = {.qualities = qualities};
    *qualities = (struct quality_list){.count = 0};
    enum status status = json_lines_load(&file, directory, &reading, error);
    if (status)
        quality_list_free(qualities);
    return status;
}

void quality_list_free(struct quality_list *qualities) {
    for (size_t i = 0; i < qualities->count; i++)
        quality_free(&qualities->list[i]);
    free(qualities->list);
    *qualities = (struct quality_list){.count = 0};
}

const struct quality *quality_find(const struct quality_list *qualities,
                                   const struct workload *workload) {
    for (size_t i = 0; i < qualities->count; i++)
        if (workload_same(&qualities->list[i].workload, workload))
            return &qualities->list[i];
    return NULL;
}

/* --- appending -------------------------------------------------------------------------------- */

enum status quality_store_vacant(const char *directory, struct error *error) {
    return json_lines_vacant(&file, directory, error);
}

enum status quality_store_open(const char *directory, bool resume, struct quality_store **store,
                               struct error *error) {
    struct quality_store *opened = calloc(1, sizeof *opened);
    if (!opened)
        return error_memory(error, file.file);
    struct reading reading = {.qualities = &opened->found};
    enum status status = json_lines_open(&file, directory, resume, &reading, &opened->lines, error);
    if (!status)
        *store = opened;
    else
        quality_store_close(opened);
    return status;
}

bool quality_store_has(const struct quality_store *store, const struct workload *workload) {
    return quality_find(&store->found, workload) != NULL;
}

enum status quality_store_append(struct quality_store *store, const struct quality *quality,
                                 struct error *error) {
    return json_lines_append(&file, &store->lines, quality_to_json(quality), error);
}

void quality_store_close(struct quality_store *store) {
    if (!store)
        return;
    lines_close(&store->lines);
    quality_list_free(&store->found);
    free(store);
}
