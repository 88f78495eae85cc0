/* treebench's own JSON: every ensemble, exactly. docs/model-json.md describes it. treebench_json.c
 * reads, treebench_json_write.c writes. */
#ifndef MODELS_TREEBENCH_JSON_H
#define MODELS_TREEBENCH_JSON_H

#include "base/json_stream.h"
#include "models/categories.h"
#include "models/ensemble.h"

#include <stdio.h>

enum { TREEBENCH_JSON_VERSION = 1 };
#define TREEBENCH_JSON_LARGEST_COUNT ((uint64_t)1 << 53) /* up to which doubles count exactly */

enum status treebench_json_write(const struct ensemble *ensemble, FILE *stream,
                                 struct error *error);

/* {"0": ["red","green"], "3": [1,5]}: the lists of the features that have one: of words and
 * numbers, or of hashes. */
void categories_write_json(const struct categories *categories, uint32_t n_features, bool hashed,
                           FILE *stream);

/* Reads them. Features must be under n_features. */
enum status categories_read_json(struct json_stream *stream, uint32_t n_features, bool hashed,
                                 struct categories *categories, struct error *error);

#endif
