#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum status error_set(struct error *error, enum status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum status error_memory(struct error *error, const char *what) {
    return error_set(error, STATUS_MEMORY, "out of memory for %s", what);
}
