/* The largest rate that a server sustains. */
#ifndef HARNESS_LATENCY_PEAK_H
#define HARNESS_LATENCY_PEAK_H

#include <stdbool.h>

/* Does the server meet its bound at this rate, in calls per second? */
typedef bool peak_trial(void *context, double rate);

/* Doubles the rate from `start` until a trial fails, or halves it until one succeeds, and then
 * bisects until both differ by at most a share of `precision`. Returns the largest rate that
 * succeeded. Returns 0 if none did, down to a 64th of `start`. */
double peak_find(peak_trial *meets, void *context, double start, double precision);

#endif
