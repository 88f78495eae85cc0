#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

/* Names and words from a file may hold anything; an error is one line and sends a terminal nothing
 * but text. */
static void replace_controls(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

enum status error_set(struct error *error, enum status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        replace_controls(error->text);
    }
    return status;
}

enum status error_set_at(struct error *error, const char *name, const char *text, const char *at,
                         const char *format, va_list arguments) {
    char what[ERROR_TEXT_SIZE / 2];
    size_t line = 1;
    const char *line_begin = text;
    vsnprintf(what, sizeof what, format, arguments);
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            line_begin = c + 1;
        }
    return error_set(error, STATUS_INPUT, "%s:%zu:%zu: %s", name, line,
                     (size_t)(at - line_begin) + 1, what);
}

enum status error_memory(struct error *error, const char *what) {
    return error_set(error, STATUS_MEMORY, "out of memory for %s", what);
}
