/* Defines what dropin/api_tmpl.h declares, except for the calls that are served.
 *
 * The includer defines:
 *
 *   API_LIBRARY   its struct real_library
 *   API_CHANGES   void API_CHANGES(void *handle): the handle's model is about to change
 */
#include "dropin/last_error.h"
#include "dropin/real.h"

/* Finds a function of the real library. Otherwise fails the call. */
static bool find(struct real_call *call, void *function) {
    struct error error;
    if (real_find(&API_LIBRARY, call, function, &error)) {
        last_error_set(&error);
        return false;
    }
    last_error()->passed = true;
    return true;
}

/* The text of the last error: the real library's if a call was passed on since. */
#define TEXT(how, symbol, params, args)                                                            \
    const char *symbol params {                                                                    \
        static struct real_call call = {.name = #symbol};                                          \
        const char *(*function)params;                                                             \
        struct error error;                                                                        \
        const struct last_error *last = last_error();                                              \
        if (last->passed && !real_find(&API_LIBRARY, &call, &function, &error))                    \
            return function args;                                                                  \
        return *last->error.text ? last->error.text : "no call has failed";                        \
    }
#define VOID(how, symbol, params, args)                                                            \
    void real_##symbol params {                                                                    \
        static struct real_call call = {.name = #symbol};                                          \
        void(*function) params;                                                                    \
        if (find(&call, &function))                                                                \
            function args;                                                                         \
    }
#define CALL(how, symbol, params, args)                                                            \
    int real_##symbol params {                                                                     \
        static struct real_call call = {.name = #symbol};                                          \
        int(*function) params;                                                                     \
        return find(&call, &function) ? function args : -1;                                        \
    }
#include API_CALLS
#undef CALL
#undef VOID
#undef TEXT

#define DEFINE_SERVED(symbol, params, args)
#define DEFINE_PASSED(symbol, params, args)                                                        \
    int symbol params {                                                                            \
        return real_##symbol args;                                                                 \
    }
#define DEFINE_CHANGES(symbol, params, args)                                                       \
    int symbol params {                                                                            \
        API_CHANGES(handle);                                                                       \
        return real_##symbol args;                                                                 \
    }
#define TEXT(how, symbol, params, args)
#define VOID(how, symbol, params, args)
#define CALL(how, symbol, params, args) DEFINE_##how(symbol, params, args)
#include API_CALLS
#undef CALL
#undef VOID
#undef TEXT
