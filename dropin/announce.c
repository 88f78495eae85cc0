#include "dropin/announce.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void announce(const char *format, ...) {
    const char *asked = getenv("TREEBENCH_DROPIN_VERBOSE");
    if (!asked || !*asked)
        return;
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_plain(text);
    dprintf(STDERR_FILENO, "treebench: %s\n", text);
}
