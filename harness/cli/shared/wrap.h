/* Wraps text into lines of limited width. */
#ifndef HARNESS_CLI_SHARED_WRAP_H
#define HARNESS_CLI_SHARED_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* widths in columns; HELP: of --help; TABLE: of list and doctor */
enum { WRAP_HELP = 80, WRAP_TABLE = 100 };

/* Prints the words of a text and a newline. The stream must be at `column`, where all further lines
 * also begin. A line exceeds `width` only if a single word is too long. */
void wrap_print(FILE *stream, const char *text, size_t column, size_t width);

#endif
