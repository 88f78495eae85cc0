/* XGBoost's C API (calls.def), and the same calls of the real library. xgboost.c passes calls on,
 * booster.c, dmatrix.c and predict.c have the calls that are served. */
#ifndef DROPIN_XGBOOST_API_H
#define DROPIN_XGBOOST_API_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_CALLS "dropin/xgboost/calls.def"
#include "dropin/api_tmpl.h"

/* Is there a real library? */
bool xgboost_is_here(void);

/* Does treebench compute what the real library does? So it is if there is none. */
bool xgboost_is_followed(void);

/* The handle's model or matrix changes in a way that treebench does not follow. Later calls with it
 * are passed on. */
void xgboost_forget(void *handle);

#endif
