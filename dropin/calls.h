/* What a drop-in library does with each call of another library's API. An API has one table, such
 * as dropin/lightgbm/calls.def. A line of it is
 *
 *     CALL(HOW, name, (parameters), (arguments))
 *
 * HOW is SERVED, CHANGES or PASSED, without the prefix below. CALL is for functions that return a
 * status. TEXT is for the one that returns the text of the last error, and VOID for functions that
 * return nothing; both are always SERVED. A library makes its stubs of the table, `treebench
 * drop-in` its answers, and docs/drop-in.md its list. */
#ifndef DROPIN_CALLS_H
#define DROPIN_CALLS_H

#include <stddef.h>

enum call_how {
    CALL_SERVED,  /* answered by treebench; passed on if it cannot answer */
    CALL_CHANGES, /* changes a model: passed on, and so are later calls with this model */
    CALL_PASSED   /* passed on to the real library; fails without it */
};

struct call {
    const char *name;
    enum call_how how;
};

/* An API, for people and for finding its real library (dropin/real.h). */
struct call_api {
    const char *title;       /* "LightGBM" */
    const char *library;     /* the drop-in library: "libtreebench_lightgbm.so" */
    const char *prefix;      /* of the names of all its calls: "LGBM_" */
    const struct call *call; /* [n_calls] */
    size_t n_calls;
};

#endif
