/* Counts instructions, branches and cache accesses with perf_event_open or PAPI.
 * harness/counting counts in other processes instead. A counter that cannot be read is marked
 * invalid. One reason covers all invalid counters. */
#ifndef HARNESS_INSTRUMENTS_COUNTERS_H
#define HARNESS_INSTRUMENTS_COUNTERS_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* X(NAME, name) for each counter; `name` is the key in rows. */
#define COUNTERS(X)                                                                                \
    X(INSTRUCTIONS, instructions)                                                                  \
    X(CYCLES, cycles)                                                                              \
    X(BRANCHES, branches)                                                                          \
    X(BRANCH_MISSES, branch_misses)                                                                \
    X(L1D_REFERENCES, l1d_references)                                                              \
    X(L1D_MISSES, l1d_misses)                                                                      \
    X(LLC_REFERENCES, llc_references)                                                              \
    X(LLC_MISSES, llc_misses)

#define COUNTER_ENUM(NAME, name) COUNTER_##NAME,
enum counter { COUNTERS(COUNTER_ENUM) COUNTER_COUNT };
/* returns COUNTER_COUNT if the name is unknown */
enum counter counter_find(const char *name);

/* Reads the key "counter" of a JSON object. `name` is used in errors. */
enum status counter_read(const char *name, const cJSON *json, enum counter *counter,
                         struct error *error);

struct counter_value {
    bool valid;
    uint64_t value;
    /* if these two times differ, the kernel multiplexed the counter and the value is not valid */
    uint64_t enabled_ns, running_ns;
};

struct counts {
    struct counter_value values[COUNTER_COUNT];
    char source[16];     /* "perf", "papi", "callgrind", "step" or "none" */
    char simulated[128]; /* describes the simulated caches; "" if a real processor counted */
    uint64_t documents;  /* number of documents in the counted pass; 0 if no pass was counted */
    /* why values are missing and what to do about it; "" if none are missing */
    char reason[256];
};

enum counters_source {
    COUNTERS_AUTO,
    COUNTERS_PERF,
    COUNTERS_PAPI,
    COUNTERS_CALLGRIND,
    COUNTERS_STEP,
    COUNTERS_NONE
};

/* indexed by enum counters_source; the last entry is NULL */
extern const char *const counters_source_names[];

/* Runs work(argument) once per group of counters and fills `counts`. The groups are: cycles and
 * instructions; branches and mispredicted branches; accesses and misses of each cache. Never fails:
 * if counters are missing, their values are invalid. AUTO tries perf, then PAPI. If no counter can
 * be opened, the work does not run. Must not be called with COUNTERS_CALLGRIND
 * or COUNTERS_STEP. */
void counters_count(enum counters_source source, void (*work)(void *), void *argument,
                    struct counts *counts);

/* The caches that callgrind simulates. Sizes in bytes. The number of sets, which is the size
 * divided by ways and line, must be a power of two. Lines have 64 bytes. */
struct simulated_caches {
    uint32_t l1, l1_ways; /* of instructions, and of data */
    uint32_t last, last_ways;
};

enum { SIMULATED_LINE = 64 };

/* The caches of the Xeon E5-2630 v3 (lettich2018, Table 5). Without a reason for others, all
 * machines simulate these, so that counts from different machines can be compared. */
static const struct simulated_caches simulated_caches_default = {32768, 8, 20971520, 20};

#endif
