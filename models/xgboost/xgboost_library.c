#include "models/xgboost/xgboost_library.h"

#include <xgboost/c_api.h>

enum status xgboost_check(int result, struct error *error) {
    return result ? error_library(error, "XGBoost", XGBGetLastError()) : STATUS_OK;
}
