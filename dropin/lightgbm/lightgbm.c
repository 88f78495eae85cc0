/* Calls that are passed on to the real library, and the last error. */
#include "dropin/lightgbm/api.h"
#include "dropin/lightgbm/booster.h"
#include "dropin/real.h"

static void find_library(void);

static struct real_library library = {.title = "LightGBM",
                                      .variable = "TREEBENCH_LIGHTGBM",
                                      .files = {"lib_lightgbm.so"},
                                      .probe = "LGBM_BoosterCreateFromModelfile",
                                      .once = PTHREAD_ONCE_INIT,
                                      .find = find_library};

static void find_library(void) {
    real_open(&library);
}

bool lightgbm_is_here(void) {
    return real_is_here(&library);
}

#define API_LIBRARY library
#define API_CHANGES booster_drop
#include "dropin/pass_tmpl.h"
