/* The backends of counters.h: one for each way to access the counters. */
#ifndef HARNESS_INSTRUMENTS_COUNTERS_BACKEND_H
#define HARNESS_INSTRUMENTS_COUNTERS_BACKEND_H

#include "harness/instruments/counters.h"

#include <stddef.h>

/* A group is so small that any processor can count all its events at once, without multiplexing. */
enum { COUNTER_GROUP_MAX = 2, REASON_SIZE = sizeof((struct counts *)NULL)->reason };

struct counted_work {
    void (*run)(void *);
    void *argument;
};

/* Counts the events group[0 .. n-1] of the calling thread in user space while the work runs, and
 * fills values[i] for each event that could be opened. If no event could be opened, the work does
 * not run. Returns the number of opened events. Writes to `reason` (REASON_SIZE bytes) why an event
 * could not be opened or gave no valid value. */
struct counters_backend {
    const char *source;
    size_t (*count)(const enum counter *group, size_t n, struct counted_work work,
                    struct counter_value *values, char *reason);
};

extern const struct counters_backend counters_perf, counters_papi;

/* Counts any events with perf_event_open. counters_perf calls this with hardware events. */
struct perf_event {
    uint32_t type;
    uint64_t config;
};
size_t perf_count(const struct perf_event *events, size_t n, struct counted_work work,
                  struct counter_value *values, char *reason);

#endif
