/* The largest rate that a server sustains. */
#ifndef HARNESS_LATENCY_PEAK_H
#define HARNESS_LATENCY_PEAK_H

#include <stdbool.h>
#include <stddef.h>

/* Does the server meet its bound at this rate, in calls per second? */
typedef bool peak_trial(void *context, double rate);

/* Doubles the rate from `start` until a trial fails, or halves it until one succeeds, and then
 * bisects until both differ by at most a share of `precision`. Returns the largest rate that
 * succeeded. Returns 0 if none did, down to a 64th of `start`. */
double peak_find(peak_trial *meets, void *context, double start, double precision);

/* Returns the number of calls of a trial: `least`, or more, so that it lasts 0.1 s and 50 times the
 * bound. A trial must be long compared with the bound, because the queue of a server that is too
 * slow grows only slowly. It must be about as long for all implementations, because stalls of the
 * machine come at their own rate. Returns 0 if that is more than PEAK_CALLS_MOST. */
enum { PEAK_CALLS_MOST = 1 << 24 };
size_t peak_trial_calls(double rate, double bound_ns, size_t least);

#endif
