#include "base/files/archive.h"

#include "base/loader.h"

#include <stdlib.h>
#include <zip.h>

/* Debian's name of the file, then other names. */
static const struct loader_library library = {
    "libzip", {"libzip.so.4", "libzip.so.5", "libzip.so"}, "libzip-dev"};
static struct {
    __typeof__(zip_error_code_zip) *error_code_zip;
    __typeof__(zip_error_strerror) *error_strerror;
    __typeof__(zip_error_init_with_code) *error_init_with_code;
    __typeof__(zip_error_fini) *error_fini;
    __typeof__(zip_open) *open;
    __typeof__(zip_discard) *discard;
    __typeof__(zip_get_error) *get_error;
    __typeof__(zip_stat) *stat;
    __typeof__(zip_fopen) *fopen;
    __typeof__(zip_fread) *fread;
    __typeof__(zip_file_get_error) *file_get_error;
    __typeof__(zip_fclose) *fclose;
} api;
static const struct loader_symbol functions[] = {
    {"zip_error_code_zip", (void **)&api.error_code_zip},
    {"zip_error_strerror", (void **)&api.error_strerror},
    {"zip_error_init_with_code", (void **)&api.error_init_with_code},
    {"zip_error_fini", (void **)&api.error_fini},
    {"zip_open", (void **)&api.open},
    {"zip_discard", (void **)&api.discard},
    {"zip_get_error", (void **)&api.get_error},
    {"zip_stat", (void **)&api.stat},
    {"zip_fopen", (void **)&api.fopen},
    {"zip_fread", (void **)&api.fread},
    {"zip_file_get_error", (void **)&api.file_get_error},
    {"zip_fclose", (void **)&api.fclose},
    {0}};

static const zip_uint64_t SIZE_LIMIT = (zip_uint64_t)FILE_SIZE_LIMIT_GB << 30;

static enum status fail(struct error *error, const char *path, const char *member,
                        zip_error_t *reason) {
    if (api.error_code_zip(reason) == ZIP_ER_MEMORY)
        return error_memory(error, path);
    return error_set(error, STATUS_IO, "%s: cannot read %s%sthe zip archive: %s", path,
                     member ? member : "", member ? " from " : "", api.error_strerror(reason));
}

/* A small archive could otherwise unpack to many gigabytes, for example of zeros. */
static enum status check_size(const char *path, const char *member, const zip_stat_t *info,
                              struct error *error) {
    if (!(info->valid & ZIP_STAT_SIZE) || !(info->valid & ZIP_STAT_COMP_SIZE))
        return error_set(error, STATUS_IO, "%s: the archive does not contain the size of %s", path,
                         member);
    if (info->size > SIZE_LIMIT)
        return error_set(error, STATUS_MEMORY, "%s: %s is larger than the limit of %d GiB", path,
                         member, FILE_SIZE_LIMIT_GB);
    if (info->size >> 20 >= FILE_UNPACK_FREE_MB && info->size / FILE_UNPACK_LIMIT > info->comp_size)
        return error_set(error, STATUS_MEMORY,
                         "%s: %s unpacks to more than %d times its size, which is the limit", path,
                         member, FILE_UNPACK_LIMIT);
    return STATUS_OK;
}

/* Reads `size` bytes. One byte more is requested, because libzip compares the checksum only at the
 * end of a file. */
static enum status read_bytes(const char *path, const char *member, zip_file_t *file, size_t size,
                              struct file_text *text, struct error *error) {
    char beyond;
    text->data = malloc(size + 1);
    if (!text->data)
        return error_memory(error, path);
    while (text->size < size) {
        zip_int64_t got = api.fread(file, text->data + text->size, size - text->size);
        if (got < 0)
            return fail(error, path, member, api.file_get_error(file));
        if (got == 0)
            break;
        text->size += (size_t)got;
    }
    zip_int64_t got = text->size == size ? api.fread(file, &beyond, 1) : 1;
    if (got < 0)
        return fail(error, path, member, api.file_get_error(file));
    if (got > 0)
        return error_set(error, STATUS_IO, "%s: %s: the archive states another size", path, member);
    text->data[size] = '\0';
    return STATUS_OK;
}

static enum status read_member(zip_t *archive, const char *path, const char *member,
                               struct file_text *text, struct error *error) {
    zip_stat_t info;
    if (api.stat(archive, member, 0, &info) != 0)
        return fail(error, path, member, api.get_error(archive));
    enum status status = check_size(path, member, &info, error);
    if (status)
        return status;
    zip_file_t *file = api.fopen(archive, member, 0);
    if (!file)
        return fail(error, path, member, api.get_error(archive));
    status = read_bytes(path, member, file, (size_t)info.size, text, error);
    api.fclose(file);
    return status;
}

enum status archive_read(const char *path, const char *member, struct file_text *text,
                         struct error *error) {
    int code;
    *text = (struct file_text){0};
    enum status status = loader_load(&library, functions, NULL, error);
    if (status)
        return status;
    zip_t *archive = api.open(path, ZIP_RDONLY, &code);
    if (!archive) {
        zip_error_t reason;
        api.error_init_with_code(&reason, code);
        status = fail(error, path, NULL, &reason);
        api.error_fini(&reason);
        return status;
    }
    status = read_member(archive, path, member, text, error);
    if (status)
        file_text_free(text);
    api.discard(archive);
    return status;
}
