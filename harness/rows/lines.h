/* A growing file of lines: appended, synced, and locked against a second writer. */
#ifndef HARNESS_ROWS_LINES_H
#define HARNESS_ROWS_LINES_H

#include "base/status.h"

#include <stddef.h>

struct lines {
    char *path;
    int descriptor; /* -1 if not open */
    size_t size;    /* number of valid bytes; lines_cut sets it, lines_append increases it */
};

/* Opens or creates DIR/FILE. Fails if another run has the file open. */
enum status lines_open(const char *directory, const char *file, struct lines *lines,
                       struct error *error);

/* Sets the error for a new run in a folder that holds lines of an older run. `what` names these
 * lines in the error, for example "rows". */
enum status lines_refuse(const char *path, const char *what, struct error *error);

/* Cuts the file to `size` bytes without a sync. The sync of the next append also makes the cut
 * durable. */
enum status lines_cut(struct lines *lines, size_t size, struct error *error);

/* Replaces the whole content at once and keeps the lock. */
enum status lines_replace(struct lines *lines, const char *text, size_t size, struct error *error);

/* Appends and syncs. If this fails, for example on a full disk, none of the text stays in the file
 * and more may be appended later. `what` names the text in errors. */
enum status lines_append(struct lines *lines, const char *text, size_t size, const char *what,
                         struct error *error);
void lines_close(struct lines *lines);

#endif
