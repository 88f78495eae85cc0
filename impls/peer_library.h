/* What the libraries in the registry share: how those are found that the user may have, and how a
 * model gets to them. Private to impls/. */
#ifndef IMPLS_PEER_LIBRARY_H
#define IMPLS_PEER_LIBRARY_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct peer_library {
    const char *name;     /* of the implementation, for errors */
    const char *file;     /* "lib_lightgbm.so": looked for where the loader looks */
    const char *variable; /* of the environment: a path to be taken instead */
    bool is_object;       /* made of the user's model, and looked for nowhere else */
    const char *origin;   /* who has one: "pip install lightgbm brings one" */
};

/* A function of the library's API, and where its address goes. Required are all. */
struct peer_function {
    const char *name;
    void **address;
};

/* Loads the library, once and for good, and finds the functions, a list that ends by a NULL name.
 * STATUS_MACHINE, with a remedy, when one of both is not there; STATUS_MEMORY. */
enum status peer_library_open(const struct peer_library *library,
                              const struct peer_function *functions, struct error *error);

/* struct impl's `find`: the text is the path of the library, the remedy, or the error. */
enum status peer_library_find(const struct peer_library *library,
                              const struct peer_function *functions, char *text, size_t size);

/* The model in the library's own format, without base scores, which scorers leave out: *bytes are
 * the caller's to free, also after a failure. */
enum status peer_write_model(const struct ensemble *ensemble,
                             enum status (*write)(const struct ensemble *, FILE *, struct error *),
                             char **bytes, size_t *size, struct error *error);

#endif
