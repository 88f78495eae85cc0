/* Whole files: read with a limit and unpacked when they are gzip, written so that nothing partly
 * written ever stands under its final name. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The content of a file; `data` has one NUL byte behind its `size` bytes, so that text can be
 * scanned without looking at the size. */
struct file_text {
    char *data;
    size_t size;
};

/* A file of more than FILE_UNPACK_FREE_MB may not unpack to more than so many times its size. */
enum { FILE_SIZE_LIMIT_GB = 16, FILE_UNPACK_LIMIT = 256, FILE_UNPACK_FREE_MB = 64 };

/* Reads `path` whole ("-" is standard input), through zlib when it begins with gzip's magic bytes.
 * STATUS_IO when it cannot be read or a gzip stream is damaged or cut; STATUS_MEMORY over a
 * limit. */
enum status file_read(const char *path, struct file_text *text, struct error *error);

/* As file_read, of a file that the program keeps: what is no regular file (a FIFO, say, which
 * nobody writes to) is refused. */
enum status file_read_kept(const char *path, struct file_text *text, struct error *error);
void file_text_free(struct file_text *text);

/* Removes the byte order mark that some programs write before UTF-8 text. */
void file_text_drop_mark(struct file_text *text);

/* What a content is that no reader takes and that people hand over all the same (an archive, UTF-16
 * text, Parquet), with what would be right; NULL: none of these. */
const char *file_foreign(const struct file_text *text);

/* Writing aside: begin opens a temporary file in the folder, commit flushes, syncs and renames it
 * to PATH (or to what PATH links to), abandon removes it, and so does a signal (temporary.h). A
 * PATH that exists and is no regular file (a device, a FIFO) is opened and written directly.
 * "-" is standard output. What is written to a PATH that ends in ".gz" is packed with gzip.
 * Exactly one of the two ends a begin; commit abandons by itself when it fails, and says why.
 * Errors of the stream need not be looked at before. */
struct sink;
struct file_writer {
    FILE *stream;
    struct sink *sink;        /* behind the stream: knows why a write failed */
    char *path;               /* as typed, for errors */
    char *target, *temporary; /* NULL when written directly */
};
enum status file_write_begin(struct file_writer *writer, const char *path, struct error *error);
enum status file_write_commit(struct file_writer *writer, struct error *error);
void file_write_abandon(struct file_writer *writer);

/* Makes a new name durable: syncs the folder that the file PATH is in. */
void file_sync_folder(const char *path);

/* The end of the file's name from its last dot on, before ".gz": ".json" of "a/model.v2.json.gz".
 * "" if there is none. A longer one is cut. */
enum { FILE_SUFFIX_SIZE = 16 };
void file_suffix(const char *path, char suffix[static FILE_SUFFIX_SIZE]);

/* Are both the same regular file, or the same path to none? Writing one would lose the other. */
bool file_same(const char *a, const char *b);

/* mkdir -p. */
enum status file_make_directories(const char *path, struct error *error);

#endif
