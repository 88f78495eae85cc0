/* Declares the calls of an API, which the library exports, and real_NAME for each: it calls the
 * real library's function. If that is missing, it fails the call: last_error becomes the error.
 *
 * The includer defines API_CALLS, the file of its table (dropin/calls.h). */
#define API __attribute__((visibility("default")))
#define TEXT(how, name, params, args) API const char *name params;
#define VOID(how, name, params, args) API void name params;
#define CALL(how, name, params, args) API int name params;
#include API_CALLS
#undef CALL
#undef VOID
#undef TEXT

#define TEXT(how, name, params, args)
#define VOID(how, name, params, args) void real_##name params;
#define CALL(how, name, params, args) int real_##name params;
#include API_CALLS
#undef CALL
#undef VOID
#undef TEXT
