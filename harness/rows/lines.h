/* A file of lines that are appended and synced. A lock keeps a second process from writing to
 * it. */
#ifndef HARNESS_ROWS_LINES_H
#define HARNESS_ROWS_LINES_H

#include "base/files/record.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct lines {
    char *path;
    int descriptor; /* -1 if not open */
    size_t size;    /* number of bytes in use: set by lines_cut, increased by lines_append */
};

/* Returns the path DIR/FILE, or NULL if memory runs out. The caller frees it. */
char *lines_path(const char *directory, const char *file);

/* Returns the path DIR/FILE, or that of DIR/FILE.gz if only this exists. Returns NULL if memory
 * runs out. The caller frees it. */
char *lines_find(const char *directory, const char *file);

/* Opens DIR/FILE, and creates it if necessary. Fails if another run has it open, or if it is
 * packed (DIR/FILE.gz). */
enum status lines_open(const char *directory, const char *file, struct lines *lines,
                       struct error *error);

/* Sets the error for starting a new run in a folder that holds lines of an older run. `what` names
 * the lines in the error, such as "rows". */
enum status lines_refuse(const char *path, const char *what, struct error *error);

/* Cuts the file to `size` bytes. Does not sync; the next append syncs the cut as well. */
enum status lines_cut(struct lines *lines, size_t size, struct error *error);

/* Replaces the whole file by `text` in one step. The lock is kept. */
enum status lines_replace(struct lines *lines, const char *text, size_t size, struct error *error);

/* Appends the text and syncs. If this fails (for example, on a full disk), removes whatever was
 * written of the text, so that another append can follow. `what` names the text in errors. */
enum status lines_append(struct lines *lines, const char *text, size_t size, const char *what,
                         struct error *error);
void lines_close(struct lines *lines);

/* --- lines of JSON ---------------------------------------------------------------------------- */

/* A file with one JSON object per line, in the folder of a run. Each object is an item of a kind of
 * measurement. A line is appended and synced as soon as it is known, so that a killed run loses at
 * most one. */

/* A kind of file and its items. */
struct json_lines {
    /* the file's name, and in errors its lines and one of them: "models" and "a model" */
    const char *file, *things, *thing;
    size_t size;                 /* of an item, in bytes */
    const struct record *record; /* how items are read and written; NULL: by the next two */
    /* `name` names the line in errors. */
    enum status (*from_json)(const char *name, const cJSON *json, void *item, struct error *error);
    cJSON *(*to_json)(const void *item);           /* NULL if memory runs out */
    bool (*is_same)(const void *a, const void *b); /* both measure the same thing */
    void (*free)(void *item);                      /* frees what it owns; NULL: nothing */
};

struct json_list {
    void *list; /* array of items */
    size_t count, capacity;
};

/* Loads DIRECTORY/FILE, or FILE.gz. If neither exists, the list is empty. A torn last line is
 * ignored. Any other line that cannot be read is an error with FILE:LINE. */
enum status json_list_load(const struct json_lines *what, const char *directory,
                           struct json_list *list, struct error *error);
void json_list_free(const struct json_lines *what, struct json_list *list);

/* Returns the item that measures the same thing, or NULL. */
const void *json_list_find(const struct json_lines *what, const struct json_list *list,
                           const void *item);

/* Fails if DIRECTORY/FILE has lines, which belong to an older run. */
enum status json_lines_vacant(const struct json_lines *what, const char *directory,
                              struct error *error);

struct json_store {
    const struct json_lines *what;
    struct lines lines;
    struct json_list found; /* the lines that the file had when it was opened */
};

/* Opens DIRECTORY/FILE for appending. Without `resume`, it is an error if the file has lines. A
 * torn last line is cut off. Close the store with json_store_close, unless opening it failed. */
enum status json_store_open(const struct json_lines *what, const char *directory, bool resume,
                            struct json_store *store, struct error *error);
enum status json_store_append(struct json_store *store, const void *item, struct error *error);
void json_store_close(struct json_store *store); /* a store of zeros is fine */

#endif
