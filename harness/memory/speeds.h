/* Measured speeds of this machine: bandwidth of memory, clock rate of a core. */
#ifndef HARNESS_MEMORY_SPEEDS_H
#define HARNESS_MEMORY_SPEEDS_H

#include "harness/memory/buffer.h"

/* Measures how fast one core reads memory. */

/* Returns the bytes per ns (GB/s) at which one thread reads the whole buffer from its beginning to
 * its end: the median of a few passes. The buffer must be several times larger than the last cache,
 * or the caches are measured. */
double bandwidth_measure(const struct memory_buffer *buffer);

/* Measures the clock rate of the core, so that times can be given in cycles without counters. */

/* Returns cycles per ns (GHz), from the time of a chain of dependent additions, which take a cycle
 * each. Takes about 10 ms. If other programs use the core, the result is too low. */
double clock_rate_measure(void);

#endif
