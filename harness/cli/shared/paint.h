/* Colour on a terminal. */
#ifndef HARNESS_CLI_SHARED_PAINT_H
#define HARNESS_CLI_SHARED_PAINT_H

#include <stdio.h>

enum paint { PAINT_OFF, PAINT_GOOD, PAINT_BAD, PAINT_DOUBT };

/* Returns the escape sequence that makes the stream's text this colour. Returns "" if the stream is
 * not a terminal with colours, or if the environment variable NO_COLOR is not empty. */
const char *paint(FILE *stream, enum paint colour);

#endif
