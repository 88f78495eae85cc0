/* Loading a shared object. */
#ifndef BASE_LOADER_H
#define BASE_LOADER_H

#include "base/status.h"

/* Calls dlopen with RTLD_NOW and RTLD_LOCAL. STATUS_MACHINE if the library cannot be loaded; *why
 * is then the loader's message, valid until the next call. STATUS_MEMORY if out of memory. */
enum status loader_open(const char *path, void **handle, const char **why);

/* Like loader_open, for a library whose functions the program or another library has too. Its calls
 * of its own functions are not diverted to those. */
enum status loader_open_beside(const char *path, void **handle, const char **why);

#endif
