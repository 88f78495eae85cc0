/* The cache of compiled trees: a folder with one shared object per generated source. The name of an
 * object is a hash of the source, the compiler's version and the compiler's flags. Objects are
 * written to a temporary file and renamed, so that any number of processes may share the folder.
 * Each object ends with a checksum, so that a damaged object is detected before it is loaded. Only
 * this user can access the folder. Files that other users could have written are not loaded. The
 * user may remove the folder at any time. */
#ifndef IMPLS_CODEGEN_CODEGEN_CACHE_H
#define IMPLS_CODEGEN_CODEGEN_CACHE_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* An FNV-1a hash of 128 bits. Attackers can construct collisions. */
struct cache_key {
    unsigned char bytes[16];
};
struct cache_part { /* a part of the hashed data */
    const char *data;
    size_t size;
};
struct cache_key cache_hash(const struct cache_part *parts, size_t count);

/* Writes the key in hexadecimal. */
enum { CACHE_KEY_TEXT_SIZE = 2 * sizeof(struct cache_key) + 1 };
void cache_key_write(const struct cache_key *key, char text[static CACHE_KEY_TEXT_SIZE]);

/* The real path of $XDG_CACHE_HOME/treebench, or $HOME/.cache/treebench. Creates the folder if it
 * is missing and denies other users access. STATUS_INPUT if it belongs to another user. Error
 * messages begin with the name `impl`. */
enum status cache_folder(const char *impl, char folder[static PATH_MAX], struct error *error);

/* The path of the object with this key. STATUS_INPUT if the path is too long. */
enum status cache_path(const char *impl, const char *folder, const struct cache_key *key,
                       char path[static PATH_MAX], struct error *error);

/* Returns true if the object exists, is undamaged, and can only have been written by this user. */
bool cache_holds(const char *path);

/* cache_begin creates an empty file next to `path`, for the compiler to write to, and sets
 * *temporary to the name of that file. cache_store appends the checksum and renames the file to
 * `path`. If cache_store fails, it removes the file. In any case it takes ownership of `temporary`.
 */
enum status cache_begin(const char *path, char **temporary, struct error *error);
enum status cache_store(char *temporary, const char *path, struct error *error);

#endif
