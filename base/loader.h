/* Loading a shared object. */
#ifndef BASE_LOADER_H
#define BASE_LOADER_H

#include "base/status.h"

/* dlopen with RTLD_NOW and RTLD_LOCAL. STATUS_MACHINE when it cannot be loaded: *why is the
 * loader's reason, valid until the next call. STATUS_MEMORY when memory ran out. */
enum status loader_open(const char *path, void **handle, const char **why);

#endif
