/* treebench's own JSON, which stores every ensemble exactly. docs/formats.md describes it.
 * treebench_json.c reads it, treebench_json_write.c writes it. */
#ifndef MODELS_FORMATS_TREEBENCH_JSON_H
#define MODELS_FORMATS_TREEBENCH_JSON_H

#include "models/ensemble.h"

#include <stdio.h>

enum { TREEBENCH_JSON_VERSION = 1 };
/* Largest count that the format allows: larger ones are not exact in double. */
#define TREEBENCH_JSON_LARGEST_COUNT ((uint64_t)1 << 53)

enum status treebench_json_write(const struct ensemble *ensemble, FILE *stream,
                                 struct error *error);

#endif
