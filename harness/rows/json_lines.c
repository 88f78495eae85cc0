#include "harness/rows/json_lines.h"

#include "base/files/file.h"
#include "base/files/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status read_line(const struct json_lines *what, void *context, const char *name,
                             const char *line, size_t size, struct error *error) {
    cJSON *json = NULL;
    enum status status = json_parse(name, line, size, &json, error);
    if (!status)
        status = what->read(context, name, json, error);
    cJSON_Delete(json);
    return status;
}

/* Reads all complete lines. *whole becomes the number of bytes of these lines. */
static enum status read_lines(const struct json_lines *what, void *context, const char *path,
                              const struct file_text *text, size_t *whole, struct error *error) {
    const char *line = text->data, *end = text->data + text->size, *newline;
    for (size_t number = 1; (newline = memchr(line, '\n', (size_t)(end - line))) != NULL;
         number++, line = newline + 1) {
        char name[ERROR_TEXT_SIZE / 2];
        snprintf(name, sizeof name, "%s:%zu", path, number);
        enum status status = read_line(what, context, name, line, (size_t)(newline - line), error);
        if (status)
            return status;
    }
    *whole = (size_t)(line - text->data);
    return STATUS_OK;
}

static enum status load(const struct json_lines *what, void *context, const char *path,
                        size_t *whole, struct error *error) {
    struct file_text text;
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = read_lines(what, context, path, &text, whole, error);
    file_text_free(&text);
    return status;
}

static enum status name_file(const struct json_lines *what, const char *directory, char **path,
                             struct error *error) {
    return asprintf(path, "%s/%s", directory, what->file) >= 0 ? STATUS_OK
                                                               : error_memory(error, what->file);
}

enum status json_lines_load(const struct json_lines *what, const char *directory, void *context,
                            struct error *error) {
    char *path;
    size_t whole;
    enum status status = name_file(what, directory, &path, error);
    if (status)
        return status;
    if (access(path, F_OK) == 0)
        status = load(what, context, path, &whole, error);
    free(path);
    return status;
}

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

enum status json_lines_open(const struct json_lines *what, const char *directory, bool resume,
                            void *context, struct lines *lines, struct error *error) {
    size_t whole = 0;
    enum status status = lines_open(directory, what->file, lines, error);
    if (status)
        return status;
    status = load(what, context, lines->path, &whole, error);
    if (!status && whole > 0 && !resume)
        status = lines_refuse(lines->path, what->things, error);
    if (!status)
        status = lines_cut(lines, whole, error);
    if (status)
        lines_close(lines);
    return status;
}

enum status json_lines_append(const struct json_lines *what, struct lines *lines, cJSON *json,
                              struct error *error) {
    char *text = json ? cJSON_PrintUnformatted(json) : NULL, *line = NULL;
    int size = text ? asprintf(&line, "%s\n", text) : -1;
    enum status status = size < 0 ? error_memory(error, what->file)
                                  : lines_append(lines, line, (size_t)size, what->thing, error);
    if (size >= 0)
        free(line);
    free(text);
    cJSON_Delete(json);
    return status;
}
