/* The log of HdrHistogram: text with a line per histogram, which other programs merge and plot. */
#ifndef HARNESS_LATENCY_HISTOGRAM_LOG_H
#define HARNESS_LATENCY_HISTOGRAM_LOG_H

#include "base/status.h"
#include "harness/latency/histogram.h"

#include <stdio.h>

/* Writes the lines that begin a log. */
void histogram_log_begin(FILE *stream);

/* Writes a line. `tag` has neither commas nor spaces. `seconds` is how long the values took. */
enum status histogram_log_write(const struct histogram *histogram, const char *tag, double seconds,
                                FILE *stream, struct error *error);

/* --- encoding --------------------------------------------------------------------------------- */

/* The header, and at most 9 bytes for each count. */
enum { HISTOGRAM_HEADER = 40, HISTOGRAM_ENCODED_MOST = HISTOGRAM_HEADER + 9 * HISTOGRAM_COUNTS };

/* Encodes a histogram as HdrHistogram's version 2, not compressed. Returns the number of bytes. */
size_t histogram_encode(const struct histogram *histogram,
                        unsigned char bytes[static HISTOGRAM_ENCODED_MOST]);

#endif
