/* LightGBM's C API (calls.def), and the same calls of the real library. lightgbm.c passes calls on,
 * load.c, predict.c and fast.c have the calls that are served. */
#ifndef DROPIN_LIGHTGBM_API_H
#define DROPIN_LIGHTGBM_API_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DTYPE_FLOAT32, DTYPE_FLOAT64, DTYPE_INT32, DTYPE_INT64 };
enum { PREDICT_NORMAL, PREDICT_RAW, PREDICT_LEAVES, PREDICT_CONTRIBUTIONS };

/* The functions that the library exports. */
#define API __attribute__((visibility("default")))
#define TEXT(how, name, params, args) API const char *name params;
#define CALL(how, name, params, args) API int name params;
#include "dropin/lightgbm/calls.def"
#undef CALL
#undef TEXT

/* real_NAME calls the real library's function. If it is missing, the call fails with that error. */
#define TEXT(how, name, params, args)
#define CALL(how, name, params, args) int real_##name params;
#include "dropin/lightgbm/calls.def"
#undef CALL
#undef TEXT

/* Is there a real library? */
bool lightgbm_is_here(void);

/* Fails a call: LGBM_GetLastError becomes the error's text. Returns -1. */
int lightgbm_fail(const struct error *error);

#endif
