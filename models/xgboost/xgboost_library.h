/* XGBoost's own library, which LambdaMART trains with and which treebench is compared with. */
#ifndef MODELS_XGBOOST_XGBOOST_LIBRARY_H
#define MODELS_XGBOOST_XGBOOST_LIBRARY_H

#include "base/loader.h"

/* Debian's name of the file, then the name that XGBoost's own build gives it. */
static const struct loader_library xgboost_library = {
    "XGBoost", {"libxgboost.so.0", "libxgboost.so"}, "libxgboost-dev"};

#endif
