#include "harness/rows/json_lines.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- reading ---------------------------------------------------------------------------------- */

static void *item_at(const struct json_lines *what, const struct json_list *list, size_t i) {
    return (char *)list->list + i * what->size;
}

/* Members that are not stored are 0. */
static enum status read_line(const struct json_lines *what, struct json_list *list,
                             const char *name, const char *line, size_t size, struct error *error) {
    cJSON *json = NULL;
    enum status status = json_parse(name, line, size, &json, error);
    if (!status && !memory_grow(&list->list, &list->capacity, list->count, what->size))
        status = error_memory(error, name);
    if (!status) {
        void *item = memset(item_at(what, list, list->count), 0, what->size);
        status = what->record ? record_from_json(name, what->record, json, item, error)
                              : what->from_json(name, json, item, error);
    }
    list->count += !status;
    cJSON_Delete(json);
    return status;
}

/* Reads all complete lines. *whole becomes the number of bytes of these lines. */
static enum status read_lines(const struct json_lines *what, struct json_list *list,
                              const char *path, const struct file_text *text, size_t *whole,
                              struct error *error) {
    const char *line = text->data, *end = text->data + text->size, *newline;
    for (size_t number = 1; (newline = memchr(line, '\n', (size_t)(end - line))) != NULL;
         number++, line = newline + 1) {
        char name[ERROR_TEXT_SIZE / 2];
        snprintf(name, sizeof name, "%s:%zu", path, number);
        enum status status = read_line(what, list, name, line, (size_t)(newline - line), error);
        if (status)
            return status;
    }
    *whole = (size_t)(line - text->data);
    return STATUS_OK;
}

/* On failure, the list is empty. */
static enum status load(const struct json_lines *what, const char *path, struct json_list *list,
                        size_t *whole, struct error *error) {
    struct file_text text;
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = read_lines(what, list, path, &text, whole, error);
    file_text_free(&text);
    if (status)
        json_list_free(what, list);
    return status;
}

static enum status name_file(const struct json_lines *what, const char *directory, char **path,
                             struct error *error) {
    return asprintf(path, "%s/%s", directory, what->file) >= 0 ? STATUS_OK
                                                               : error_memory(error, what->file);
}

enum status json_list_load(const struct json_lines *what, const char *directory,
                           struct json_list *list, struct error *error) {
    char *path;
    size_t whole;
    *list = (struct json_list){.count = 0};
    enum status status = name_file(what, directory, &path, error);
    if (status)
        return status;
    if (access(path, F_OK) == 0)
        status = load(what, path, list, &whole, error);
    free(path);
    return status;
}

void json_list_free(const struct json_lines *what, struct json_list *list) {
    for (size_t i = 0; i < list->count && what->free; i++)
        what->free(item_at(what, list, i));
    free(list->list);
    *list = (struct json_list){.count = 0};
}

const void *json_list_find(const struct json_lines *what, const struct json_list *list,
                           const void *item) {
    for (size_t i = 0; i < list->count; i++)
        if (what->is_same(item_at(what, list, i), item))
            return item_at(what, list, i);
    return NULL;
}

/* --- appending -------------------------------------------------------------------------------- */

enum status json_lines_vacant(const struct json_lines *what, const char *directory,
                              struct error *error) {
    struct stat info;
    char *path;
    enum status status = name_file(what, directory, &path, error);
    if (status)
        return status;
    if (stat(path, &info) == 0 && info.st_size > 0)
        status = lines_refuse(path, what->things, error);
    free(path);
    return status;
}

enum status json_store_open(const struct json_lines *what, const char *directory, bool resume,
                            struct json_store *store, struct error *error) {
    size_t whole = 0;
    *store = (struct json_store){.what = what};
    enum status status = lines_open(directory, what->file, &store->lines, error);
    if (status)
        return status;
    status = load(what, store->lines.path, &store->found, &whole, error);
    if (!status && whole > 0 && !resume)
        status = lines_refuse(store->lines.path, what->things, error);
    if (!status)
        status = lines_cut(&store->lines, whole, error);
    if (status)
        json_store_close(store);
    return status;
}

enum status json_store_append(struct json_store *store, const void *item, struct error *error) {
    const struct json_lines *what = store->what;
    cJSON *json = what->record ? record_to_json(what->record, item) : what->to_json(item);
    char *text = json ? cJSON_PrintUnformatted(json) : NULL, *line = NULL;
    int size = text ? asprintf(&line, "%s\n", text) : -1;
    enum status status = size < 0
                             ? error_memory(error, what->file)
                             : lines_append(&store->lines, line, (size_t)size, what->thing, error);
    if (size >= 0)
        free(line);
    free(text);
    cJSON_Delete(json);
    return status;
}

void json_store_close(struct json_store *store) {
    if (!store->what)
        return;
    lines_close(&store->lines);
    json_list_free(store->what, &store->found);
    store->what = NULL;
}
