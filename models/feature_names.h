/* The names of a model's features, collected by readers of formats that have them. */
#ifndef MODELS_FEATURE_NAMES_H
#define MODELS_FEATURE_NAMES_H

#include "base/files/json_members.h"
#include "models/ensemble.h"

#include <stdio.h>

struct feature_names {
    char *text; /* each name is terminated by a NUL */
    size_t size, capacity;
    uint32_t count;
};

/* Adds a copy of a name, which must not contain a NUL. */
enum status feature_names_add(struct feature_names *names, const char *name, size_t size,
                              struct error *error);

/* Ends a reader of names that ends with `status`. If that is no error, moves the names, if there
 * are any, to the ensemble. Every feature must have a name. Errors begin with `where`
 * ("FILE:LINE"). Leaves `names` empty, even on errors. */
enum status feature_names_give(struct feature_names *names, enum status status,
                               struct ensemble *ensemble, const char *where, struct error *error);

/* Takes a name from an array in JSON text or UBJSON (MEMBER_ITEMS). The struct that is filled in
 * begins with a struct json_reader. */
enum status feature_names_take(void *data, const struct json_member *member,
                               const struct json_token *token);

/* Writes a JSON array of strings, "[]" if there are no names. */
void feature_names_write_json(const struct ensemble *ensemble, FILE *stream);

/* Writes a JSON string. */
void feature_names_write_string(const char *text, size_t length, FILE *stream);

#endif
