/* Universal Binary JSON (draft 12), as a stream of JSON tokens. Optimised objects, no-ops and
 * high-precision numbers are refused: no model here uses them. */
#ifndef MODELS_UBJSON_H
#define MODELS_UBJSON_H

#include "base/json_stream.h"

void ubjson_open(struct json_stream *stream, const char *name, const char *data, size_t size);

#endif
