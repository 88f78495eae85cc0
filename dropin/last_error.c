#include "dropin/last_error.h"

static _Thread_local struct last_error of_thread;

struct last_error *last_error(void) {
    return &of_thread;
}
