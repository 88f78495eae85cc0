/* Text on a terminal: its colours and the width of its lines. */
#ifndef HARNESS_CLI_SHARED_TERMINAL_H
#define HARNESS_CLI_SHARED_TERMINAL_H

#include <stdio.h>

/* Colour on a terminal. */

enum paint { PAINT_OFF, PAINT_GOOD, PAINT_BAD, PAINT_DOUBT };

/* Returns the escape sequence that makes the stream's text this colour. Returns "" if the stream is
 * not a terminal with colours, or if the environment variable NO_COLOR is not empty. */
const char *paint(FILE *stream, enum paint colour);

/* Wraps text into lines of limited width. */

/* widths in columns; HELP: of --help; TABLE: of list and doctor */
enum { WRAP_HELP = 80, WRAP_TABLE = 100 };

/* Prints the words of a text and a newline. The stream must be at `column`, where all further lines
 * also begin. A line exceeds `width` only if a single word is too long. */
void wrap_print(FILE *stream, const char *text, size_t column, size_t width);

#endif
