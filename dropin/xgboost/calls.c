/* Calls that are passed on, and the last error. */
#include "dropin/last_error.h"
#include "dropin/xgboost/api.h"

static void find_real(void);

struct real_library xgboost_real = {.title = "XGBoost",
                                    .variable = "TREEBENCH_XGBOOST",
                                    .files = {"libxgboost.so.0", "libxgboost.so"},
                                    .probe = "XGBoosterPredict",
                                    .once = PTHREAD_ONCE_INIT,
                                    .find = find_real};

static void find_real(void) {
    real_open(&xgboost_real);
}

int xgboost_fail(const struct error *error) {
    last_error()->error = *error;
    last_error()->passed = false;
    return -1;
}

#define CALL(how, name, parameters, arguments)                                                     \
    int pass_##name parameters {                                                                   \
        static struct real_call call = {#name, NULL};                                              \
        int(*function) parameters;                                                                 \
        struct error error;                                                                        \
        if (real_find(&xgboost_real, &call, &function, &error))                                    \
            return xgboost_fail(&error);                                                           \
        last_error()->passed = true;                                                               \
        return function arguments;                                                                 \
    }
#include "dropin/xgboost/calls.def"
#undef CALL

#define STUB_SERVED(name, parameters, arguments)
#define STUB_PASSED(name, parameters, arguments)                                                   \
    int name parameters {                                                                          \
        return pass_##name arguments;                                                              \
    }
#define STUB_CHANGES(name, parameters, arguments)                                                  \
    int name parameters {                                                                          \
        xgboost_forget(handle);                                                                    \
        return pass_##name arguments;                                                              \
    }
#define CALL(how, name, parameters, arguments) STUB_##how(name, parameters, arguments)
#include "dropin/xgboost/calls.def"
#undef CALL

const char *XGBGetLastError(void) {
    static struct real_call call = {.name = "XGBGetLastError"};
    const char *(*function)(void);
    struct error error;
    if (last_error()->passed && real_find(&xgboost_real, &call, &function, &error) == STATUS_OK)
        return function();
    return last_error()->error.text;
}

/* Without the real library, the version is the one that served calls follow. */
void XGBoostVersion(int *major, int *minor, int *patch) {
    static struct real_call call = {.name = "XGBoostVersion"};
    void (*function)(int *, int *, int *);
    struct error error;
    if (real_find(&xgboost_real, &call, &function, &error) == STATUS_OK) {
        function(major, minor, patch);
        return;
    }
    int *const parts[] = {major, minor, patch}, version[] = {1, 7, 4};
    for (int i = 0; i < 3; i++)
        if (parts[i])
            *parts[i] = version[i];
}
