/* Whole files. Reading has a size limit and unpacks gzip. Writing goes to a temporary file first,
 * so that a partly written file never appears under its final name. */
#ifndef BASE_FILES_FILE_H
#define BASE_FILES_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The content of a file. A NUL byte follows the `size` bytes of `data`, so that text can be scanned
 * without checking the size. */
struct file_text {
    char *data;
    size_t size;
};

/* Limits. FILE_UNPACK_LIMIT is the largest ratio of unpacked to packed size; it applies to files
 * that unpack to more than FILE_UNPACK_FREE_MB. */
enum { FILE_SIZE_LIMIT_GB = 16, FILE_UNPACK_LIMIT = 256, FILE_UNPACK_FREE_MB = 64 };

/* Reads the whole file `path` ("-" is standard input). Unpacks it if it begins with gzip's magic
 * bytes. STATUS_IO if it cannot be read or its gzip stream is corrupt or incomplete. STATUS_MEMORY
 * if it exceeds a limit. */
enum status file_read(const char *path, struct file_text *text, struct error *error);

/* Same as file_read, for files that the program itself creates and maintains. Only regular files
 * are accepted, because reading a FIFO could block forever. */
enum status file_read_kept(const char *path, struct file_text *text, struct error *error);
void file_text_free(struct file_text *text);

/* Removes the byte order mark that some programs write before UTF-8 text. */
void file_text_drop_mark(struct file_text *text);

/* Recognises content that no reader accepts but users often pass (an archive, UTF-16 text,
 * Parquet). Returns its description and what to do about it, or NULL if it is not recognised. */
const char *file_foreign(const struct file_text *text);

/* Writes a file through a temporary file. file_write_begin opens the temporary file in the same
 * folder. file_write_commit flushes and syncs the temporary file. It then renames the file to
 * `path`, or to the target of the symbolic link `path`. file_write_abandon removes the temporary
 * file, and so does a fatal signal (temporary.h). An existing `path` that is not a regular file (a
 * device, a FIFO) is opened and written directly. "-" is standard output. If `path` ends in ".gz",
 * the content is packed with gzip. Each begin needs exactly one commit or abandon. A commit that
 * fails abandons the file and sets the error. Callers need not check the stream for errors before a
 * commit. */
struct sink;
struct file_writer {
    FILE *stream;
    struct sink *sink;        /* receives the stream's data; remembers why a write failed */
    char *path;               /* as typed, for errors */
    char *target, *temporary; /* NULL if written directly */
};
enum status file_write_begin(struct file_writer *writer, const char *path, struct error *error);
enum status file_write_commit(struct file_writer *writer, struct error *error);
void file_write_abandon(struct file_writer *writer);

/* Makes a new name durable: syncs the folder that contains the file `path`. */
void file_sync_folder(const char *path);

/* The suffix of the file name, starting at its last dot and ignoring ".gz": ".json" for
 * "a/model.v2.json.gz". "" if there is none. A suffix that is too long is cut. */
enum { FILE_SUFFIX_SIZE = 16 };
void file_suffix(const char *path, char suffix[static FILE_SUFFIX_SIZE]);

/* Are `a` and `b` the same regular file, or the same path of a file that does not exist? If so,
 * writing one would destroy the other. */
bool file_same(const char *a, const char *b);

/* Creates the folder and its parents, like mkdir -p. */
enum status file_make_directories(const char *path, struct error *error);

#endif
