/* XGBoost's C API. */
#ifndef MODELS_XGBOOST_XGBOOST_LIBRARY_H
#define MODELS_XGBOOST_XGBOOST_LIBRARY_H

#include "base/status.h"

/* Converts the result of an API function to a status. The error is XGBoost's message without its
 * stack trace. */
enum status xgboost_check(int result, struct error *error);

#endif
