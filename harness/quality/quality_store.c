#include "harness/quality/quality_store.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/memory.h"
#include "harness/rows/lines.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char FILE_NAME[] = "quality.jsonl";

struct quality_store {
    struct lines lines;
    struct quality_list found; /* the lines that the file had when it was opened */
};

/* --- reading ---------------------------------------------------------------------------------- */

static enum status read_line(const char *name, const char *line, size_t size,
                             struct quality_list *qualities, size_t *capacity,
                             struct error *error) {
    cJSON *json = NULL;
    if (!memory_grow((void **)&qualities->list, capacity, qualities->count,
                     sizeof *qualities->list))
        return error_memory(error, FILE_NAME);
    enum status status = json_parse(name, line, size, &json, error);
    if (!status)
        status = quality_from_json(name, json, &qualities->list[qualities->count], error);
    qualities->count += !status;
    cJSON_Delete(json);
    return status;
}

/* Reads all complete lines. *whole becomes the number of bytes of these lines. */
static enum status read_lines(const char *path, const struct file_text *text,
                              struct quality_list *qualities, size_t *whole, struct error *error) {
    const char *line = text->data, *end = text->data + text->size, *newline;
    size_t capacity = 0;
    for (size_t number = 1; (newline = memchr(line, '\n', (size_t)(end - line))) != NULL;
         number++, line = newline + 1) {
        char name[ERROR_TEXT_SIZE / 2];
        snprintf(name, sizeof name, "%s:%zu", path, number);
        enum status status =
            read_line(name, line, (size_t)(newline - line), qualities, &capacity, error);
        if (status)
            return status;
    }
    *whole = (size_t)(line - text->data);
    return STATUS_OK;
}

static enum status load(const char *path, struct quality_list *qualities, size_t *whole,
                        struct error *error) {
    struct file_text text;
    *qualities = (struct quality_list){.count = 0};
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = read_lines(path, &text, qualities, whole, error);
    file_text_free(&text);
    if (status)
        quality_list_free(qualities);
    return status;
}

enum status quality_load(const char *directory, struct quality_list *qualities,
                         struct error *error) {
    char *path;
    size_t whole;
    *qualities = (struct quality_list){.count = 0};
    if (asprintf(&path, "%s/%s", directory, FILE_NAME) < 0)
        return error_memory(error, FILE_NAME);
    enum status status = access(path, F_OK) == 0 ? load(path, qualities, &whole, error) : STATUS_OK;
    free(path);
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
    struct stat info;
    char *path;
    if (asprintf(&path, "%s/%s", directory, FILE_NAME) < 0)
        return error_memory(error, FILE_NAME);
    bool has_lines = stat(path, &info) == 0 && info.st_size > 0;
    enum status status = has_lines ? lines_refuse(path, "models", error) : STATUS_OK;
    free(path);
    return status;
}

enum status quality_store_open(const char *directory, bool resume, struct quality_store **store,
                               struct error *error) {
    struct quality_store *opened = calloc(1, sizeof *opened);
    size_t whole = 0;
    if (!opened)
        return error_memory(error, FILE_NAME);
    enum status status = lines_open(directory, FILE_NAME, &opened->lines, error);
    if (!status)
        status = load(opened->lines.path, &opened->found, &whole, error);
    if (!status && whole > 0 && !resume)
        status = lines_refuse(opened->lines.path, "models", error);
    if (!status)
        status = lines_cut(&opened->lines, whole, error);
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
    cJSON *json = quality_to_json(quality);
    char *text = cJSON_PrintUnformatted(json), *line = NULL;
    int size = text ? asprintf(&line, "%s\n", text) : -1;
    enum status status = size < 0
                             ? error_memory(error, FILE_NAME)
                             : lines_append(&store->lines, line, (size_t)size, "a model", error);
    if (size >= 0)
        free(line);
    free(text);
    cJSON_Delete(json);
    return status;
}

void quality_store_close(struct quality_store *store) {
    if (!store)
        return;
    lines_close(&store->lines);
    quality_list_free(&store->found);
    free(store);
}
