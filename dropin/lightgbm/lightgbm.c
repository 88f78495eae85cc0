/* Calls that are passed on to the real library, and errors. */
#include "dropin/last_error.h"
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

int lightgbm_fail(const struct error *error) {
    struct last_error *last = last_error();
    last->error = *error;
    last->passed = false;
    return -1;
}

/* Finds a function of the real library. Otherwise fails the call. */
static bool find(struct real_call *call, void *function) {
    struct error error;
    if (real_find(&library, call, function, &error)) {
        lightgbm_fail(&error);
        return false;
    }
    last_error()->passed = true;
    return true;
}

const char *LGBM_GetLastError(void) {
    static struct real_call call = {.name = "LGBM_GetLastError"};
    const char *(*function)(void);
    struct error error;
    const struct last_error *last = last_error();
    if (last->passed && !real_find(&library, &call, &function, &error))
        return function();
    return *last->error.text ? last->error.text : "no call has failed";
}

#define TEXT(how, symbol, params, args)
#define CALL(how, symbol, params, args)                                                            \
    int real_##symbol params {                                                                     \
        static struct real_call call = {.name = #symbol};                                          \
        int(*function) params;                                                                     \
        return find(&call, &function) ? function args : -1;                                        \
    }
#include "dropin/lightgbm/calls.def"
#undef CALL

#define DEFINE_SERVED(symbol, params, args)
#define DEFINE_PASSED(symbol, params, args)                                                        \
    int symbol params {                                                                            \
        return real_##symbol args;                                                                 \
    }
#define DEFINE_CHANGES(symbol, params, args)                                                       \
    int symbol params {                                                                            \
        booster_drop(handle);                                                                      \
        return real_##symbol args;                                                                 \
    }
#define CALL(how, symbol, params, args) DEFINE_##how(symbol, params, args)
#include "dropin/lightgbm/calls.def"
