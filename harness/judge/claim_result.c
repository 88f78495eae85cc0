#include "harness/judge/claim_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const verdict_names[VERDICTS + 1] = {"not held", "unresolved", "held", "not measured",
                                                 NULL};

void claim_say(struct claim_result *result, const char *format, ...) {
    size_t used = strlen(result->measured);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->measured + used, sizeof result->measured - used, format, arguments);
    va_end(arguments);
}
