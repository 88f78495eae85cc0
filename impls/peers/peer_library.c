#include "impls/peers/peer_library.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path to load. NULL if the library is an object that the user has not named. */
static const char *path_of(const struct peer_library *library) {
    const char *path = getenv(library->variable);
    if (path && *path)
        return path;
    return library->is_object ? NULL : library->file;
}

/* Loads a library and never closes it, because its threads, and those of the libraries that it
 * loads, outlive the last call. */
static enum status load(const struct peer_library *library, void **handle, struct error *error) {
    const char *path = path_of(library), *why = "no library is named";
    enum status status = path ? loader_open(path, handle, &why) : STATUS_MACHINE;
    if (!status)
        return STATUS_OK;
    if (status == STATUS_MEMORY)
        return error_memory(error, library->name);
    return error_set(error, STATUS_MACHINE, "%s: %s. Set %s to the path of a %s (%s)",
                     library->name, why, library->variable, library->file, library->origin);
}

static enum status find(const struct peer_library *library, void *handle,
                        const struct loader_symbol *functions, struct error *error) {
    const char *missing = loader_find(handle, functions);
    if (!missing)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE, "%s: %s has no function %s. Set %s to the path of a %s",
                     library->name, path_of(library), missing, library->variable, library->file);
}

enum status peer_library_open(const struct peer_library *library,
                              const struct loader_symbol *functions, struct error *error) {
    void *handle;
    enum status status = load(library, &handle, error);
    return status ? status : find(library, handle, functions, error);
}

enum status peer_library_find(const struct peer_library *library,
                              const struct loader_symbol *functions,
                              void (*version)(char *text, size_t size), char *text, size_t size) {
    void *handle;
    struct link_map *map;
    struct error error;
    char found[64] = "";
    enum status status = load(library, &handle, &error);
    if (!status)
        status = find(library, handle, functions, &error);
    if (status) {
        snprintf(text, size, "%s", error.text);
        return status;
    }
    if (version)
        version(found, sizeof found);
    bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
    snprintf(text, size, "%s%s%s", found, *found ? ", " : "", known ? map->l_name : library->file);
    return STATUS_OK;
}

/* Cuts the last part of a path. Returns false if there is none. */
static bool cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

void peer_library_package_version(const struct peer_library *library, const char *name, char *text,
                                  size_t size) {
    static const struct loader_symbol none[] = {{0}};
    char path[PATH_MAX], file[PATH_MAX + 16], version[32] = "";
    *text = '\0';
    if (peer_library_find(library, none, NULL, path, sizeof path) || !cut_name(path) ||
        !cut_name(path))
        return;
    snprintf(file, sizeof file, "%s/VERSION.txt", path);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return;
    if (fscanf(stream, "%31[0-9A-Za-z.+-]", version) == 1)
        snprintf(text, size, "%s %s", name, version);
    fclose(stream);
}

static enum status write_without_base(const struct ensemble *ensemble,
                                      enum status (*write)(const struct ensemble *, FILE *,
                                                           struct error *),
                                      FILE *stream, struct error *error) {
    struct ensemble trees = *ensemble;
    trees.base = calloc(ensemble->n_outputs, sizeof *trees.base);
    enum status status =
        trees.base ? write(&trees, stream, error) : error_memory(error, "base scores");
    free(trees.base);
    return status;
}

enum status peer_write_model(const struct ensemble *ensemble,
                             enum status (*write)(const struct ensemble *, FILE *, struct error *),
                             char **bytes, size_t *size, struct error *error) {
    *bytes = NULL;
    FILE *stream = memory_open_stream(bytes, size);
    if (!stream)
        return error_memory(error, "a library's model");
    enum status status = write_without_base(ensemble, write, stream, error);
    if (!memory_close_stream(stream) && !status)
        status = error_memory(error, "a library's model");
    return status;
}
