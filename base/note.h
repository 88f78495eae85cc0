/* Lines for the user: notes, which are messages although nothing failed, and texts that come from
 * the command line or from files. A function that may send notes takes a `note_function`, so that
 * its caller decides where they go. */
#ifndef BASE_NOTE_H
#define BASE_NOTE_H

#include <stdio.h>

/* `line` is one line without a newline, valid during the call. */
typedef void note_function(const char *line);

/* Formats one line and passes it to `note`. Does nothing if `note` is NULL. */
void note_tell(note_function *note, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Formats and prints a line. Its control characters become "?", because a terminal would obey the
 * escape sequences that begin with them. */
void print_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
