/* Counters of instructions, branches and caches: perf_event_open and PAPI behind one interface, and
 * a simulation (counters_callgrind.h). What could not be counted is not valid, and the reason is
 * said once. */
#ifndef HARNESS_COUNTERS_H
#define HARNESS_COUNTERS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum counter {
    COUNTER_INSTRUCTIONS,
    COUNTER_CYCLES,
    COUNTER_BRANCHES,
    COUNTER_BRANCH_MISSES,
    COUNTER_L1D_REFERENCES,
    COUNTER_L1D_MISSES,
    COUNTER_LLC_REFERENCES,
    COUNTER_LLC_MISSES,
    COUNTER_COUNT
};
extern const char *const counter_names[COUNTER_COUNT]; /* "instructions", ... as in the rows */
enum counter counter_find(const char *name);           /* COUNTER_COUNT: there is none */

struct counter_value {
    bool valid;
    uint64_t value;
    uint64_t enabled_ns,
        running_ns; /* unequal: the kernel multiplexed, and the value is not valid */
};

struct counts {
    struct counter_value values[COUNTER_COUNT];
    char source[16];     /* "perf", "papi", "callgrind" or "none" */
    char simulated[128]; /* the caches of the simulation; "" where a processor counted */
    uint64_t documents;  /* in the pass that was counted; 0: none */
    char reason[256];    /* why values are missing and what would help; "" when none is */
};

enum counters_source {
    COUNTERS_AUTO,
    COUNTERS_PERF,
    COUNTERS_PAPI,
    COUNTERS_CALLGRIND,
    COUNTERS_NONE
};

/* --counters NAME: "auto", "perf", "papi", "callgrind" or "none". */
enum status counters_parse(const char *name, enum counters_source *source, struct error *error);
#define COUNTERS_HELP "auto, perf, papi, callgrind or none"

/* Runs work(argument) once for each small group of counters (cycles and instructions; branches and
 * their misses; each cache) and fills `counts`. Never fails: a machine without counters gives
 * values that are not valid. AUTO tries perf, then PAPI; where probing found nothing, work is not
 * run at all. Not for COUNTERS_CALLGRIND. */
void counters_count(enum counters_source source, void (*work)(void *), void *argument,
                    struct counts *counts);

#endif
