#include "impls/codegen/codegen_cache.h"

#include "base/files/file.h"
#include "base/files/temporary.h"
#include "base/files/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 uint128;

struct cache_key cache_hash(const struct cache_part *parts, size_t count) {
    const uint128 prime = ((uint128)1 << 88) + 0x13b;
    uint128 hash = ((uint128)0x6c62272e07bb0142 << 64) + 0x62b821756295c58d;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < parts[p].size; i++)
            hash = (hash ^ (unsigned char)parts[p].data[i]) * prime;
    }
    struct cache_key key;
    for (size_t i = 0; i < sizeof key.bytes; i++)
        key.bytes[i] = (unsigned char)(hash >> (8 * (sizeof key.bytes - 1 - i)));
    return key;
}

void cache_key_write(const struct cache_key *key, char text[static CACHE_KEY_TEXT_SIZE]) {
    for (size_t i = 0; i < sizeof key->bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", key->bytes[i]);
}

static enum status cannot_make(const char *impl, const char *why, struct error *error) {
    return error_set(error, STATUS_IO,
                     "%s: cannot create its cache folder: %s. Set XDG_CACHE_HOME to "
                     "another folder",
                     impl, why);
}

/* Creates the folder `named` if it is missing, and writes its real path to `folder`. Code from the
 * folder is executed, so no other user may be able to write to it. Therefore only this user keeps
 * access, even if the folder existed before. `folder` is free of symbolic links, so that changing a
 * link later has no effect. */
static enum status make_private(const char *impl, const char *named, char folder[static PATH_MAX],
                                struct error *error) {
    struct stat info;
    if ((mkdir(named, S_IRWXU) != 0 && errno != EEXIST) || !realpath(named, folder) ||
        stat(folder, &info) != 0) {
        struct error why;
        error_set(&why, STATUS_IO, "%s: %s", named, strerror(errno));
        return cannot_make(impl, why.text, error);
    }
    if (!S_ISDIR(info.st_mode))
        return error_set(error, STATUS_IO, "%s: %s: not a folder", impl, folder);
    if (info.st_uid != geteuid())
        return error_set(error, STATUS_INPUT,
                         "%s: %s: belongs to another user, who could change the code that is "
                         "run. Set XDG_CACHE_HOME to a folder of your own",
                         impl, folder);
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0 && chmod(folder, S_IRWXU) != 0)
        return error_set(error, STATUS_IO, "%s: %s: cannot be made private: %s", impl, folder,
                         strerror(errno));
    return STATUS_OK;
}

enum status cache_folder(const char *impl, char folder[static PATH_MAX], struct error *error) {
    char parent[PATH_MAX], named[PATH_MAX];
    if (!xdg_folder("XDG_CACHE_HOME", ".cache", parent))
        return error_set(error, STATUS_INPUT,
                         "%s: no folder for compiled trees. Set XDG_CACHE_HOME or HOME to an "
                         "absolute path",
                         impl);
    if (snprintf(named, sizeof named, "%s/treebench", parent) >= PATH_MAX)
        return error_set(error, STATUS_INPUT, "%s: %.64s...: the path of the folder is too long",
                         impl, parent);
    struct error why;
    if (file_make_directories(parent, &why) != STATUS_OK)
        return cannot_make(impl, why.text, error);
    return make_private(impl, named, folder, error);
}

enum status cache_path(const char *impl, const char *folder, const struct cache_key *key,
                       char path[static PATH_MAX], struct error *error) {
    char name[CACHE_KEY_TEXT_SIZE];
    cache_key_write(key, name);
    if (snprintf(path, PATH_MAX, "%s/%s.so", folder, name) >= PATH_MAX)
        return error_set(error, STATUS_INPUT, "%s: %.64s...: too long a path for a folder", impl,
                         folder);
    return STATUS_OK;
}

/* The checksum of an object. It is stored after the object's last section, where the loader ignores
 * it. */
static struct cache_key checksum(const char *data, size_t size) {
    return cache_hash(&(struct cache_part){data, size}, 1);
}

/* Returns true if no other user can have written the file. A folder that was once open to other
 * users may contain files that they wrote. */
static bool is_private(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool cache_holds(const char *path) {
    struct file_text text;
    if (!is_private(path) || file_read(path, &text, NULL) != STATUS_OK)
        return false;
    bool whole = false;
    if (text.size > sizeof(struct cache_key)) {
        size_t size = text.size - sizeof(struct cache_key);
        struct cache_key key = checksum(text.data, size);
        whole = memcmp(text.data + size, key.bytes, sizeof key.bytes) == 0;
    }
    file_text_free(&text);
    return whole;
}

enum status cache_begin(const char *path, char **temporary, struct error *error) {
    int file, reason = temporary_create(path, temporary, &file);
    if (reason == ENOMEM)
        return error_memory(error, path);
    if (reason != 0)
        return error_set(error, STATUS_IO, "%s: cannot be made: %s", path, strerror(reason));
    close(file);
    return STATUS_OK;
}

static enum status append_checksum(const char *path, struct error *error) {
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status)
        return status;
    struct cache_key key = checksum(text.data, text.size);
    file_text_free(&text);
    FILE *stream = fopen(path, "ab");
    bool written = stream && fwrite(key.bytes, sizeof key.bytes, 1, stream) == 1;
    if (stream && fclose(stream) != 0)
        written = false;
    if (!written)
        return error_set(error, STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
    return STATUS_OK;
}

enum status cache_store(char *temporary, const char *path, struct error *error) {
    enum status status = append_checksum(temporary, error);
    /* Linkers set the mode according to the umask, which may let other users write. */
    if (!status && chmod(temporary, S_IRWXU) != 0)
        status = error_set(error, STATUS_IO, "%s: cannot be made private: %s", temporary,
                           strerror(errno));
    if (status) {
        temporary_remove(temporary);
        return status;
    }
    if (!temporary_rename(temporary, path))
        status =
            error_set(error, STATUS_IO, "%s: cannot move the compiled trees into the cache: %s",
                      path, strerror(errno));
    return status;
}
