/* Loading a shared object. */
#ifndef BASE_LOADER_H
#define BASE_LOADER_H

#include "base/status.h"

/* A function or variable of a library and where to store its address. */
struct loader_symbol {
    const char *name;
    void **address;
};

/* Calls dlopen with RTLD_NOW and RTLD_LOCAL. STATUS_MACHINE if the library cannot be loaded; *why
 * is then the loader's message, valid until the next call. STATUS_MEMORY if out of memory. */
enum status loader_open(const char *path, void **handle, const char **why);

/* Stores the addresses of symbols. A NULL name ends the list. Returns the name of the first symbol
 * that the library lacks, or NULL. */
const char *loader_find(void *handle, const struct loader_symbol *symbols);

/* A library that is loaded only when it is needed, because loading it takes longer than most
 * commands. */
struct loader_library {
    const char *name;     /* for errors */
    const char *files[3]; /* names that the loader searches for, in this order; NULL if fewer */
    const char *package;  /* has the library, in Debian and Ubuntu */
};

/* Loads the library, which is never unloaded, and finds symbols of it. *file, which may be NULL, is
 * set to the library's name. STATUS_MACHINE, with a remedy, if the library or a symbol is missing.
 * STATUS_MEMORY if out of memory. */
enum status loader_load(const struct loader_library *library, const struct loader_symbol *symbols,
                        const char **file, struct error *error);

#endif
