#include "base/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* The loader gives its reason as "FILE: REASON". Without memory for that text it leaves out the
 * file, and without memory for its search it reports a file that is there as missing. */
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
