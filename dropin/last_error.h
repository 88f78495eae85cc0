/* The calling thread's last error, for functions such as LGBM_GetLastError. */
#ifndef DROPIN_LAST_ERROR_H
#define DROPIN_LAST_ERROR_H

#include "base/status.h"

#include <stdbool.h>

struct last_error {
    struct error error; /* of the last call that treebench failed */
    bool passed;        /* a call was passed on since: the real library knows the last error */
};

struct last_error *last_error(void);

/* Makes the error the calling thread's last one. Returns -1, as failed calls do. */
int last_error_set(const struct error *error);

#endif
