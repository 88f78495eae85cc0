#include "base/note.h"

#include "base/status.h"

#include <stdarg.h>

void note_tell(note_function *note, const char *format, ...) {
    char line[ERROR_TEXT_SIZE];
    if (!note)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_make_plain(line);
    note(line);
}

void print_line(FILE *stream, const char *format, ...) {
    char text[1 << 14]; /* two paths and some words */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_plain(text);
    fprintf(stream, "%s\n", text);
}
