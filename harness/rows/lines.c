#include "harness/rows/lines.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status io_error(const char *path, const char *what, struct error *error) {
    return error_set(error, STATUS_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static enum status open_file(struct lines *lines, struct error *error) {
    struct stat info;
    bool is_new = access(lines->path, F_OK) != 0;
    lines->descriptor =
        open(lines->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (lines->descriptor < 0)
        return io_error(lines->path, "open for appending", error);
    if (fstat(lines->descriptor, &info) != 0)
        return io_error(lines->path, "get the status of the file", error);
    if (!S_ISREG(info.st_mode))
        return error_set(error, STATUS_IO, "%s: not a regular file", lines->path);
    if (is_new)
        file_sync_folder(lines->path);
    return STATUS_OK;
}

static enum status lock(struct lines *lines, struct error *error) {
    if (flock(lines->descriptor, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    if (errno == EWOULDBLOCK)
        return error_set(error, STATUS_INPUT,
                         "%s: another run is writing here. Wait until it ends, or give another "
                         "--out",
                         lines->path);
    return io_error(lines->path, "lock", error);
}

char *lines_path(const char *directory, const char *file) {
    char *path;
    return asprintf(&path, "%s/%s", directory, file) >= 0 ? path : NULL;
}

char *lines_find(const char *directory, const char *file) {
    char *path = lines_path(directory, file), *packed;
    if (!path || access(path, F_OK) == 0 || asprintf(&packed, "%s.gz", path) < 0)
        return path;
    bool is_packed = access(packed, F_OK) == 0;
    free(is_packed ? path : packed);
    return is_packed ? packed : path;
}

/* Appending would start a second file, which would hide the packed one. */
static enum status refuse_packed(const char *directory, const char *file, const struct lines *lines,
                                 struct error *error) {
    char *found = lines_find(directory, file);
    enum status status = STATUS_OK;
    if (!found || !lines->path)
        status = error_memory(error, directory);
    else if (strcmp(found, lines->path) != 0)
        status =
            error_set(error, STATUS_INPUT,
                      "%s: this run is packed, so nothing can be added. Give another --out", found);
    free(found);
    return status;
}

enum status lines_open(const char *directory, const char *file, struct lines *lines,
                       struct error *error) {
    *lines = (struct lines){.path = lines_path(directory, file), .descriptor = -1};
    enum status status = refuse_packed(directory, file, lines, error);
    if (!status)
        status = file_make_directories(directory, error);
    if (!status)
        status = open_file(lines, error);
    if (!status)
        status = lock(lines, error);
    if (status)
        lines_close(lines);
    return status;
}

enum status lines_refuse(const char *path, const char *what, struct error *error) {
    return error_set(
        error, STATUS_INPUT,
        "%s: holds %s already. Give --resume to continue that run, --again to rename it "
        "if it is finished and start anew, or another --out",
        path, what);
}

enum status lines_cut(struct lines *lines, size_t size, struct error *error) {
    lines->size = size;
    if (ftruncate(lines->descriptor, (off_t)size) != 0)
        return io_error(lines->path, "cut off the incomplete end", error);
    return STATUS_OK;
}

/* Locks the new file before the old file is closed, because a lock belongs to a file and not to its
 * name. */
enum status lines_replace(struct lines *lines, const char *text, size_t size, struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, lines->path, error);
    if (status)
        return status;
    fwrite(text, 1, size, writer.stream);
    status = file_write_commit(&writer, error);
    if (status)
        return status;
    struct lines new = {.path = lines->path};
    status = open_file(&new, error);
    if (!status)
        status = lock(&new, error);
    close(lines->descriptor);
    lines->descriptor = new.descriptor;
    lines->size = size;
    return status;
}

static bool write_all(int descriptor, const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

enum status lines_append(struct lines *lines, const char *text, size_t size, const char *what,
                         struct error *error) {
    if (write_all(lines->descriptor, text, size) && fdatasync(lines->descriptor) == 0) {
        lines->size += size;
        return STATUS_OK;
    }
    char action[64];
    int cause = errno;
    snprintf(action, sizeof action, "append %s", what);
    errno = cause;
    enum status status = io_error(lines->path, action, error);
    lines_cut(lines, lines->size, NULL);
    return status;
}

void lines_close(struct lines *lines) {
    if (lines->descriptor >= 0)
        close(lines->descriptor);
    free(lines->path);
    *lines = (struct lines){.descriptor = -1};
}

/* --- reading lines of JSON -------------------------------------------------------------------- */

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

enum status json_list_load(const struct json_lines *what, const char *directory,
                           struct json_list *list, struct error *error) {
    size_t whole;
    *list = (struct json_list){.count = 0};
    char *path = lines_find(directory, what->file);
    if (!path)
        return error_memory(error, what->file);
    enum status status = STATUS_OK;
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

/* --- appending lines of JSON ------------------------------------------------------------------ */

enum status json_lines_vacant(const struct json_lines *what, const char *directory,
                              struct error *error) {
    struct stat info;
    char *path = lines_path(directory, what->file);
    enum status status = STATUS_OK;
    if (!path)
        return error_memory(error, what->file);
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
