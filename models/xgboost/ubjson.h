/* Reads Universal Binary JSON (draft 12) as a stream of JSON tokens. Optimised objects, no-ops and
 * high-precision numbers are rejected, because no supported model format uses them. */
#ifndef MODELS_XGBOOST_UBJSON_H
#define MODELS_XGBOOST_UBJSON_H

#include "base/files/json_stream.h"

void ubjson_open(struct json_stream *stream, const char *name, const char *data, size_t size);

#endif
