/* Finds the libraries of other projects (peers), and writes models for them. */
#ifndef IMPLS_PEERS_PEER_LIBRARY_H
#define IMPLS_PEERS_PEER_LIBRARY_H

#include "base/loader.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct peer_library {
    const char *name;     /* name of the implementation, for errors */
    const char *file;     /* name that the loader searches for, such as "lib_lightgbm.so" */
    const char *variable; /* environment variable; if set, the library's path */
    bool is_object;     /* True if the library is compiled from one model. Its path must then be in
                           `variable`, and `file` is a description for errors. */
    const char *origin; /* how to get the library: "pip install lightgbm brings one" */
};

/* Loads the library, which is never unloaded, and finds the functions. A NULL name ends the list of
 * functions. STATUS_MACHINE, with a remedy, if the library or a function is missing. STATUS_MEMORY
 * if memory ran out. */
enum status peer_library_open(const struct peer_library *library,
                              const struct loader_symbol *functions, struct error *error);

/* Implements `find` of struct impl. The text is the path of the library, such as "LightGBM 4.1.0,
 * PATH" if `version` (NULL: unknown) is that of struct impl, or the error with a remedy. */
enum status peer_library_find(const struct peer_library *library,
                              const struct loader_symbol *functions,
                              void (*version)(char *text, size_t size), char *text, size_t size);

/* Writes "NAME VERSION" to `text`. The version is the first line of VERSION.txt in the folder above
 * that of the library, where Python packages store it. "" if there is no such file. */
void peer_library_package_version(const struct peer_library *library, const char *name, char *text,
                                  size_t size);

/* Writes the model in the library's own format, without base scores, because scorers do not add
 * base scores. The caller frees *bytes, even after a failure. */
enum status peer_write_model(const struct ensemble *ensemble,
                             enum status (*write)(const struct ensemble *, FILE *, struct error *),
                             char **bytes, size_t *size, struct error *error);

#endif
