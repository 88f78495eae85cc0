/* The backends of counters.h. Each backend is one way to read the processor's counters. */
#ifndef HARNESS_INSTRUMENTS_COUNTERS_BACKEND_H
#define HARNESS_INSTRUMENTS_COUNTERS_BACKEND_H

#include "harness/instruments/counters.h"

#include <stddef.h>

/* Groups are small, so that any processor can count all events of a group at once. */
enum { COUNTER_GROUP_MAX = 2, REASON_SIZE = sizeof((struct counts *)NULL)->reason };

struct counted_work {
    void (*run)(void *);
    void *argument;
};

/* Runs the work and counts the events group[0 .. n-1] of the calling thread in user space. Sets
 * values[i] for each event that could be opened, and returns the number of these events. If no
 * event could be opened, the work does not run. If an event could not be opened or has no valid
 * value, writes why to `reason` (REASON_SIZE bytes). */
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
