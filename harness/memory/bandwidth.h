/* Measures how fast one core reads memory. */
#ifndef HARNESS_MEMORY_BANDWIDTH_H
#define HARNESS_MEMORY_BANDWIDTH_H

#include "harness/memory/buffer.h"

/* Returns the bytes per ns (GB/s) at which one thread reads the whole buffer from its beginning to
 * its end: the median of a few passes. The buffer must be several times larger than the last cache,
 * or the caches are measured. */
double bandwidth_measure(const struct memory_buffer *buffer);

#endif
