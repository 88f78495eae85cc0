/* XGBoost's C API as this library sees it: every call, and the same call of the real library. */
#ifndef DROPIN_XGBOOST_API_H
#define DROPIN_XGBOOST_API_H

#include "base/status.h"
#include "dropin/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XGBOOST_API __attribute__((visibility("default")))

/* pass_NAME passes a call on to the real library. Without one, it fails with a line for the user.
 */
#define CALL(how, name, parameters, arguments)                                                     \
    XGBOOST_API int name parameters;                                                               \
    int pass_##name parameters;
#include "dropin/xgboost/calls.def"
#undef CALL
XGBOOST_API const char *XGBGetLastError(void);
XGBOOST_API void XGBoostVersion(int *major, int *minor, int *patch);

extern struct real_library xgboost_real;

/* Makes the error the calling thread's last one. Returns -1. */
int xgboost_fail(const struct error *error);

/* The handle's model or matrix changes in a way that treebench does not follow. Later calls with it
 * are passed on. */
void xgboost_forget(void *handle);

#endif
