#include "models/xgboost_library.h"

#include <string.h>
#include <xgboost/c_api.h>

enum status xgboost_check(int result, struct error *error) {
    if (result == 0)
        return STATUS_OK;
    const char *text = XGBGetLastError();
    return error_set(error, STATUS_UNSUPPORTED, "XGBoost: %.*s", (int)strcspn(text, "\n"), text);
}
