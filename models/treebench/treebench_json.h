/* treebench's own JSON, which stores every ensemble exactly. docs/model-json.md describes it.
 * treebench_json.c reads it, treebench_json_write.c writes it. */
#ifndef MODELS_TREEBENCH_TREEBENCH_JSON_H
#define MODELS_TREEBENCH_TREEBENCH_JSON_H

#include "base/files/json_stream.h"
#include "models/categories.h"
#include "models/ensemble.h"

#include <stdio.h>

enum { TREEBENCH_JSON_VERSION = 1 };
/* Largest count that the format allows: larger ones are not exact in double. */
#define TREEBENCH_JSON_LARGEST_COUNT ((uint64_t)1 << 53)

enum status treebench_json_write(const struct ensemble *ensemble, FILE *stream,
                                 struct error *error);

/* Writes the category lists of all features that have one: {"0": ["red","green"], "3": [1,5]}. If
 * `hashed` is true, only lists of hashes are written; otherwise only lists of words and numbers. */
void categories_write_json(const struct categories *categories, uint32_t n_features, bool hashed,
                           FILE *stream);

/* Reads category lists as written by categories_write_json. Feature indices must be less than
 * n_features. */
enum status categories_read_json(struct json_stream *stream, uint32_t n_features, bool hashed,
                                 struct categories *categories, struct error *error);

#endif
