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

/* Sanitizers end the program if a library is opened with RTLD_DEEPBIND. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
enum { OWN_FUNCTIONS = 0 };
#else
enum { OWN_FUNCTIONS = RTLD_DEEPBIND };
#endif

static enum status open_library(const char *path, int mode, void **handle, const char **why) {
    errno = 0;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | mode);
    if (*handle)
        return STATUS_OK;
    *why = dlerror();
    return errno == ENOMEM || is_memory(path, *why) ? STATUS_MEMORY : STATUS_MACHINE;
}

enum status loader_open(const char *path, void **handle, const char **why) {
    return open_library(path, 0, handle, why);
}

enum status loader_open_beside(const char *path, void **handle, const char **why) {
    return open_library(path, OWN_FUNCTIONS, handle, why);
}
