/* The two loops that make calls and time them, written over a clock and a service, so that tests
 * can run them in simulated time, and the search for the largest rate that a server sustains. Times
 * are in ns. */
#ifndef HARNESS_LATENCY_LOOP_H
#define HARNESS_LATENCY_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct service {
    void *context;
    uint64_t (*now)(void *context);
    /* Returns the time, as soon as it is at least `time`. */
    uint64_t (*wait)(void *context, uint64_t time);
    /* `prepare` precedes each call and `check` follows it. Neither is timed. */
    void (*prepare)(void *context, uint64_t number);
    void (*call)(void *context);
    void (*check)(void *context);
    /* loop_stream calls `notice` after calls that took at least slow_ns. */
    uint64_t slow_ns;
    void (*notice)(void *context);
};

/* A single stream: each call begins when the one before has ended. The calls have the numbers from
 * `first` on. Writes the latencies from the begin to the end of each call. */
void loop_stream(const struct service *service, uint64_t first, size_t n, uint64_t *latencies);

/* A server with one thread: call i arrives at arrivals[i], counted from the beginning, and waits
 * until those before it have ended. Writes the latencies from the arrival to the end, so that a
 * stall counts for each call that waits for it. Returns the time from the beginning to the last
 * end. */
uint64_t loop_server(const struct service *service, uint64_t first, size_t n,
                     const uint64_t *arrivals, uint64_t *latencies);

/* The clock of this machine, for a service. */
uint64_t loop_clock_now(void *context);
uint64_t loop_clock_wait(void *context, uint64_t time);

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
