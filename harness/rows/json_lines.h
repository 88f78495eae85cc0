/* A file with one JSON object per line, in the folder of a run. A line is appended and synced as
 * soon as it is known, so that a killed run loses at most one. */
#ifndef HARNESS_ROWS_JSON_LINES_H
#define HARNESS_ROWS_JSON_LINES_H

#include "base/status.h"
#include "harness/rows/lines.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What the file is: its name, and in errors the name of its lines and of one of them, such as
 * "models" and "a model". `read` gets each line, whose name in errors is `name`. */
struct json_lines {
    const char *file, *things, *thing;
    enum status (*read)(void *context, const char *name, const cJSON *json, struct error *error);
};

/* Reads DIRECTORY/FILE, if it exists. A torn last line is ignored. */
enum status json_lines_load(const struct json_lines *what, const char *directory, void *context,
                            struct error *error);

/* Fails if DIRECTORY/FILE has lines, which belong to an older run. */
enum status json_lines_vacant(const struct json_lines *what, const char *directory,
                              struct error *error);

/* Opens DIRECTORY/FILE for appending, and reads its lines. Without `resume`, it is an error if it
 * has any. A torn last line is cut off. On failure, *lines is closed. */
enum status json_lines_open(const struct json_lines *what, const char *directory, bool resume,
                            void *context, struct lines *lines, struct error *error);

/* Appends the object as a line, and deletes it. NULL: memory ran out while it was made. */
enum status json_lines_append(const struct json_lines *what, struct lines *lines, cJSON *json,
                              struct error *error);

#endif
