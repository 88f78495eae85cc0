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

#define API_CALLS "dropin/lightgbm/calls.def"
#include "dropin/api_tmpl.h"

/* Is there a real library? */
bool lightgbm_is_here(void);

#endif
