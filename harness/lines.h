/* A file of lines that grows: appended, synced, and locked against a second writer. Private to the
 * stores. */
#ifndef HARNESS_LINES_H
#define HARNESS_LINES_H

#include "base/status.h"

#include <stddef.h>

struct lines {
    char *path;
    int descriptor; /* -1: not open */
    size_t size;    /* what stays: set by lines_cut, grows with lines_append */
};

/* Opens or makes the file. A second run is refused while the first writes. */
enum status lines_open(const char *directory, const char *file, struct lines *lines,
                       struct error *error);

/* The error of a run that would begin where an older one has left lines; `what` names them. */
enum status lines_refuse(const char *path, const char *what, struct error *error);

/* Cuts off what stands behind the first `size` bytes. Without a sync: that of the next append makes
 * it durable too. */
enum status lines_cut(struct lines *lines, size_t size, struct error *error);

/* Replaces the whole content at once, and keeps others out as before. */
enum status lines_replace(struct lines *lines, const char *text, size_t size, struct error *error);

/* Appends and syncs. On failure (a full disk) nothing of the text stays, so that more may be
 * appended later; `what` names it in the error. */
enum status lines_append(struct lines *lines, const char *text, size_t size, const char *what,
                         struct error *error);
void lines_close(struct lines *lines);

#endif
