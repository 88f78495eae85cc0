/* CODEGEN's cache: a folder with one shared object per generated source, named by a hash of all
 * that it was made from. Objects come and go whole: they are written aside and renamed, so that any
 * number of processes may share the folder, and end in a checksum of themselves, so that a damaged
 * one is found before it is loaded. Folder and objects are this user's alone: what others could
 * have written is not loaded. The folder can be removed at any time. */
#ifndef IMPLS_CODEGEN_CACHE_H
#define IMPLS_CODEGEN_CACHE_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* FNV-1a, 128 bits: of text that nobody chooses in order to collide. */
struct cache_key {
    unsigned char bytes[16];
};
struct cache_part { /* of what is hashed */
    const char *data;
    size_t size;
};
struct cache_key cache_hash(const struct cache_part *parts, size_t count);

/* $XDG_CACHE_HOME/treebench, else $HOME/.cache/treebench; made where it is missing. The real
 * path, closed to other users. STATUS_INPUT when it belongs to one. */
enum status cache_folder(char folder[static PATH_MAX], struct error *error);

/* The path of the object with this key. STATUS_INPUT when it is too long. */
enum status cache_path(const char *folder, const struct cache_key *key, char path[static PATH_MAX],
                       struct error *error);

/* Is there an object, could only this user write it, and is it as it was stored? */
bool cache_holds(const char *path);

/* A new empty file beside `path` (temporary.h), for the compiler to write to. cache_store makes it
 * the object `path`, or removes it. */
enum status cache_begin(const char *path, char **temporary, struct error *error);
enum status cache_store(char *temporary, const char *path, struct error *error);

#endif
