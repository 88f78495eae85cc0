/* Calls that are passed on to the real library, the last error, and the version. */
#include "dropin/real.h"
#include "dropin/xgboost/api.h"

static void find_library(void);

static struct real_library library = {.title = "XGBoost",
                                      .variable = "TREEBENCH_XGBOOST",
                                      .files = {"libxgboost.so.0", "libxgboost.so"},
                                      .probe = "XGBoosterPredict",
                                      .once = PTHREAD_ONCE_INIT,
                                      .find = find_library};

static void find_library(void) {
    real_open(&library);
}

bool xgboost_is_here(void) {
    return real_is_here(&library);
}

#define API_LIBRARY library
#define API_CHANGES xgboost_forget
#include "dropin/pass_tmpl.h"

static const int followed[3] = {1, 7, 4};

bool xgboost_is_followed(void) {
    int version[3] = {0, 0, 0};
    if (!xgboost_is_here())
        return true;
    real_XGBoostVersion(&version[0], &version[1], &version[2]);
    return version[0] == followed[0] && version[1] == followed[1];
}

/* Without the real library, the version is the one that served calls follow. */
void XGBoostVersion(int *major, int *minor, int *patch) {
    int *const parts[] = {major, minor, patch};
    if (xgboost_is_here()) {
        real_XGBoostVersion(major, minor, patch);
        return;
    }
    for (int i = 0; i < 3; i++)
        if (parts[i])
            *parts[i] = followed[i];
}
