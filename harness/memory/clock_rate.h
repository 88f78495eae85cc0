/* Measures the clock rate of the core, so that times can be given in cycles without counters. */
#ifndef HARNESS_MEMORY_CLOCK_RATE_H
#define HARNESS_MEMORY_CLOCK_RATE_H

/* Returns cycles per ns (GHz), from the time of a chain of dependent additions, which take a cycle
 * each. Takes about 10 ms. If other programs use the core, the result is too low. */
double clock_rate_measure(void);

#endif
