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

#endif
