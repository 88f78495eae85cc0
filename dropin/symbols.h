/* The functions that a program takes from shared libraries. */
#ifndef DROPIN_SYMBOLS_H
#define DROPIN_SYMBOLS_H

#include "base/status.h"

#include <stddef.h>

struct symbols {
    char *text;        /* what nm printed, with a NUL after each name */
    const char **name; /* [count] sorted, without duplicates */
    size_t count;
};

/* Reads the undefined symbols of a program or library that begin with one of the prefixes, and
 * those of the libraries that it is linked with. The list of prefixes ends with NULL. Runs nm and
 * ldd, and ldd may run the program's loader: for programs that the user trusts. STATUS_MACHINE if
 * one of them is missing. The caller frees the symbols. */
enum status symbols_read(const char *program, const char *const *prefixes, struct symbols *symbols,
                         struct error *error);
void symbols_free(struct symbols *symbols);

#endif
