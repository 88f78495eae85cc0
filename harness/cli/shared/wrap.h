/* Wraps text to lines of limited width. */
#ifndef HARNESS_CLI_SHARED_WRAP_H
#define HARNESS_CLI_SHARED_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_HELP = 80, WRAP_TABLE = 100 }; /* widths in columns: of --help; of list and doctor */

/* Prints the words of a text and a newline. The stream must be at `column`. Further lines also
 * begin there. No line exceeds `width`, unless a single word is too long. */
void wrap_print(FILE *stream, const char *text, size_t column, size_t width);

#endif
