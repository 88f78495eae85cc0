/* A file of lines that are appended and synced. A lock keeps a second process from writing to
 * it. */
#ifndef HARNESS_ROWS_LINES_H
#define HARNESS_ROWS_LINES_H

#include "base/status.h"

#include <stddef.h>

struct lines {
    char *path;
    int descriptor; /* -1 if not open */
    size_t size;    /* number of bytes in use: set by lines_cut, increased by lines_append */
};

/* Opens DIR/FILE, and creates it if necessary. Fails if another run has it open. */
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

#endif
