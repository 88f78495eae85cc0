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
