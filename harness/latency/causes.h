/* What may have lengthened latencies: events of this thread that the kernel counts. */
#ifndef HARNESS_LATENCY_CAUSES_H
#define HARNESS_LATENCY_CAUSES_H

#include <stdint.h>

struct causes {
    uint64_t preemptions;  /* other threads got the processor */
    uint64_t waits;        /* the thread gave up the processor */
    uint64_t minor_faults; /* pages that were in memory */
    uint64_t major_faults; /* pages that were read from a disk */
    uint64_t migrations;   /* times that two readings were on different processors */
    /* Calls that took much longer than usual, and how many of them came with a preemption, or else
     * with a page fault. */
    uint64_t slow, slow_preempted, slow_faulted;
};

/* A reading of the counts since the thread started, and its processor. */
struct causes_reading {
    struct causes since_start;
    int processor;
};
struct causes_reading causes_read(void);

/* Adds the events since a reading. */
void causes_add(const struct causes_reading *before, struct causes *to);

/* Counts a slow call by the events since the last reading, which the new one replaces. */
void causes_add_slow(struct causes_reading *last, struct causes *to);

#endif
