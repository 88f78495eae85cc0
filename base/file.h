/* Whole files: read with a limit and unpacked when they are gzip, written so that nothing partly
 * written ever stands under its final name. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>

/* The content of a file; `data` has one NUL byte behind its `size` bytes, so that text can be
 * scanned without looking at the size. */
struct file_text {
    char *data;
    size_t size;
};

enum { FILE_SIZE_LIMIT_GB = 16 };

/* Reads `path` whole ("-" is standard input), through zlib when it begins with gzip's magic bytes.
 * STATUS_IO when it cannot be read or a gzip stream is damaged or cut; STATUS_MEMORY over the
 * limit. */
enum status file_read(const char *path, struct file_text *text, struct error *error);
void file_text_free(struct file_text *text);

/* Writing aside: begin opens "PATH.tmp.PID", commit flushes, syncs and renames it to PATH, abandon
 * removes it. Exactly one of the two ends a begin; commit abandons by itself when it fails. */
struct file_writer {
    FILE *stream;
    char *path, *temporary;
};
enum status file_write_begin(struct file_writer *writer, const char *path, struct error *error);
enum status file_write_commit(struct file_writer *writer, struct error *error);
void file_write_abandon(struct file_writer *writer);

/* mkdir -p. */
enum status file_make_directories(const char *path, struct error *error);

#endif
