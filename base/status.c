#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In UTF-8, a C1 control character is 0xC2 followed by 0x80 to 0x9F. In older character sets, a
 * byte 0x80 to 0x9F alone is a C1 control character. In UTF-8, such a byte only follows another
 * byte over 0x7F. */
void text_make_plain(char *text) {
    unsigned char before = 0;
    for (; *text; before = (unsigned char)*text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0 && before <= 0x7f))
            *text = '?';
        else if (c >= 0x80 && c < 0xa0 && before == 0xc2)
            text[-1] = *text = '?';
    }
}

void text_append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

enum status error_set(struct error *error, enum status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        text_make_plain(error->text);
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

enum status error_library(struct error *error, const char *library, const char *text) {
    if (strstr(text, "bad_alloc"))
        return error_memory(error, library);
    return error_set(error, STATUS_UNSUPPORTED, "%s: %.*s", library, (int)strcspn(text, "\n"),
                     text);
}
