/* The names of a model's features: collected by readers whose format has them, and written. */
#ifndef MODELS_FEATURE_NAMES_H
#define MODELS_FEATURE_NAMES_H

#include "base/json_stream.h"
#include "models/ensemble.h"

#include <stdio.h>

struct feature_names {
    char *text; /* each name ended by a NUL */
    size_t size, capacity;
    uint32_t count;
};

/* Adds a copy of a name, which has no NUL. */
enum status feature_names_add(struct feature_names *names, const char *name, size_t size,
                              struct error *error);

/* Makes them the ensemble's, if there are any; there must be one for every feature. `where` begins
 * the error ("FILE:LINE"). Leaves `names` empty, whatever the outcome. */
enum status feature_names_give(struct feature_names *names, struct ensemble *ensemble,
                               const char *where, struct error *error);
void feature_names_free(struct feature_names *names); /* for readers that give up */

/* Reads an array of strings, of JSON text or UBJSON. */
enum status feature_names_read_json(struct feature_names *names, struct json_stream *stream,
                                    struct error *error);

/* A JSON array of strings; "[]" where there are no names. */
void feature_names_write_json(const struct ensemble *ensemble, FILE *stream);

#endif
