/* What stands behind counters.h: one backend for each way to reach the counters. Private to
 * counters*.c and their test. */
#ifndef HARNESS_COUNTERS_BACKEND_H
#define HARNESS_COUNTERS_BACKEND_H

#include "harness/counters.h"

#include <stddef.h>

/* A group is small enough to be on any processor's counters at once: nothing is multiplexed. */
enum { COUNTER_GROUP_MAX = 2, REASON_SIZE = sizeof((struct counts *)NULL)->reason };

struct work {
    void (*run)(void *);
    void *argument;
};

/* Counts the events group[0 .. n-1] of the calling thread in user space while the work runs, and
 * fills values[i] for each that could be opened. Where none could, the work is not run. Returns how
 * many were opened; for one that was not, or that gave nothing valid, writes why into `reason`
 * (REASON_SIZE bytes). */
struct counters_backend {
    const char *source;
    size_t (*count)(const enum counter *group, size_t n, struct work work,
                    struct counter_value *values, char *reason);
};

extern const struct counters_backend counters_perf, counters_papi;

/* perf_event_open with any events; `count` of counters_perf is this with hardware events. */
struct perf_event {
    uint32_t type;
    uint64_t config;
};
size_t perf_count(const struct perf_event *events, size_t n, struct work work,
                  struct counter_value *values, char *reason);

#endif
