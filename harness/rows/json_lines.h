/* A file with one JSON object per line, in the folder of a run. Each object is an item of a kind of
 * measurement. A line is appended and synced as soon as it is known, so that a killed run loses at
 * most one. */
#ifndef HARNESS_ROWS_JSON_LINES_H
#define HARNESS_ROWS_JSON_LINES_H

#include "base/files/record.h"
#include "base/status.h"
#include "harness/rows/lines.h"

#include <stdbool.h>

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

/* Loads DIRECTORY/FILE. If it does not exist, the list is empty. A torn last line is ignored. Any
 * other line that cannot be read is an error with FILE:LINE. */
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
