/* The options after an implementation's name: "vpred,v=8" is "vpred" with the option v = "8". A
 * struct options holds no pointers, so assignment copies it. */
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

/* Splits "name,key=value,key=value" into the name and the options, which are sorted by key. A key
 * that is given twice is an error. */
enum status options_parse(const char *text, char name[OPTION_TEXT_SIZE], struct options *options,
                          struct error *error);

/* The value of `name`, or NULL. `options` may be NULL. */
const char *options_get(const struct options *options, const char *name);

/* Reads the value of `name` as an integer in [low, high]. *value is `fallback` if the option is not
 * given. */
enum status options_integer(const struct options *options, const char *name, long low, long high,
                            long fallback, long *value, struct error *error);

/* Reads the value of `name` as one of some words with spaces between. *choice is its place among
 * them, and 0 if the option is not given. `impl` is the implementation's name, for errors. */
enum status options_choice(const struct options *options, const char *impl, const char *name,
                           const char *words, unsigned *choice, struct error *error);

/* Writes the canonical text "key=value,key=value" ("" without options) to at most `size` bytes. */
void options_format(const struct options *options, char *text, size_t size);

#endif
