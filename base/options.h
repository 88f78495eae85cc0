/* What the user types after an implementation's name: "vpred,v=8" is the name "vpred" with the
 * option v = "8". Small and fixed in size, so that it can be copied by assignment. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/status.h"

#include <stddef.h>

enum { OPTIONS_MAX = 8, OPTION_TEXT_SIZE = 32 };

struct option_pair {
    char name[OPTION_TEXT_SIZE], value[OPTION_TEXT_SIZE];
};

struct options {
    size_t count;
    struct option_pair pairs[OPTIONS_MAX];
};

/* "name,key=value,key=value" into a name and options (sorted by key, no key twice). */
enum status options_parse(const char *text, char name[OPTION_TEXT_SIZE], struct options *options,
                          struct error *error);

/* The value of `name`, or NULL. `options` may be NULL. */
const char *options_get(const struct options *options, const char *name);

/* The value as an integer in [low, high], or `fallback` where it is not given. */
enum status options_integer(const struct options *options, const char *name, long low, long high,
                            long fallback, long *value, struct error *error);

/* The canonical text "key=value,key=value" ("" without options), at most `size` bytes. */
void options_format(const struct options *options, char *text, size_t size);

#endif
