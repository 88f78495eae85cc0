/* Printing of texts that come from the command line or from files. */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdio.h>

/* Formats and prints a line. Its control characters become "?", because a terminal would obey the
 * escape sequences that begin with them. */
void print_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
