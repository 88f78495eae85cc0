/* Colour on a terminal. */
#ifndef HARNESS_CLI_SHARED_PAINT_H
#define HARNESS_CLI_SHARED_PAINT_H

#include <stdio.h>

enum paint { PAINT_OFF, PAINT_GOOD, PAINT_BAD, PAINT_DOUBT };

/* Returns the escape sequence that switches the stream to this colour, or "" if the stream is not a
 * terminal with colours. The environment variable NO_COLOR switches colours off. */
const char *paint(FILE *stream, enum paint colour);

#endif
