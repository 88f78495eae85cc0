#include "base/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Did dlopen fail because memory ran out? The loader's message is normally "FILE: REASON". Without
 * memory for the message, the loader omits the file. Without memory for the search, the loader
 * reports an existing file as missing. */
static bool is_memory(const char *path, const char *why) {
    size_t length = strlen(path);
    if (!why || !strstr(why, ": ") || strstr(why, "out of memory"))
        return true;
    return strchr(path, '/') && access(path, R_OK) == 0 && strncmp(why, path, length) == 0 &&
           strstr(why, "cannot open shared object file");
}

enum status loader_open(const char *path, void **handle, const char **why) {
    errno = 0;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle)
        return STATUS_OK;
    *why = dlerror();
    return errno == ENOMEM || is_memory(path, *why) ? STATUS_MEMORY : STATUS_MACHINE;
}

const char *loader_find(void *handle, const struct loader_symbol *symbols) {
    for (const struct loader_symbol *symbol = symbols; symbol->name; symbol++)
        if (!(*symbol->address = dlsym(handle, symbol->name)))
            return symbol->name;
    return NULL;
}

enum status loader_load(const struct loader_library *library, const struct loader_symbol *symbols,
                        const char **file, struct error *error) {
    void *handle = NULL;
    const char *why = NULL, *name = NULL;
    enum status status = STATUS_MACHINE;
    for (size_t i = 0; status == STATUS_MACHINE && i < 3 && library->files[i]; i++)
        status = loader_open(name = library->files[i], &handle, &why);
    if (status == STATUS_MEMORY)
        return error_memory(error, library->name);
    if (status)
        return error_set(error, status, "%s: %s. Install the package %s", library->name, why,
                         library->package);
    const char *missing = loader_find(handle, symbols);
    if (missing)
        return error_set(error, STATUS_MACHINE,
                         "%s: %s has no function %s. Install a newer version", library->name, name,
                         missing);
    if (file)
        *file = name;
    return STATUS_OK;
}
