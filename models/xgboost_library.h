/* XGBoost's C API, for all who call it. */
#ifndef MODELS_XGBOOST_LIBRARY_H
#define MODELS_XGBOOST_LIBRARY_H

#include "base/status.h"

/* What a function of the API returned, as a status: its words without their stack trace. */
enum status xgboost_check(int result, struct error *error);

#endif
