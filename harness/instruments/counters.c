#include "harness/instruments/counters.h"

#include "base/files/json.h"
#include "harness/instruments/counters_backend.h"

#include <stdio.h>
#include <string.h>

#define COUNTER_NAME(NAME, name) #name,
static const char *const names[COUNTER_COUNT] = {COUNTERS(COUNTER_NAME)};

enum counter counter_find(const char *name) {
    enum counter counter = 0;
    while (counter < COUNTER_COUNT && strcmp(names[counter], name) != 0)
        counter++;
    return counter;
}

enum status counter_read(const char *name, const cJSON *json, enum counter *counter,
                         struct error *error) {
    const char *text = "";
    enum status status = json_get_string(name, json, "counter", &text, error);
    *counter = counter_find(text);
    if (!status && *counter == COUNTER_COUNT)
        status = error_set(error, STATUS_INPUT, "%s: counter: there is no counter %s", name, text);
    return status;
}

enum { GROUPS = 4 };
static const enum counter groups[GROUPS][COUNTER_GROUP_MAX] = {
    {COUNTER_INSTRUCTIONS, COUNTER_CYCLES},
    {COUNTER_BRANCHES, COUNTER_BRANCH_MISSES},
    {COUNTER_L1D_REFERENCES, COUNTER_L1D_MISSES},
    {COUNTER_LLC_REFERENCES, COUNTER_LLC_MISSES},
};

const char *const counters_source_names[] = {[COUNTERS_AUTO] = "auto",
                                             [COUNTERS_PERF] = "perf",
                                             [COUNTERS_PAPI] = "papi",
                                             [COUNTERS_CALLGRIND] = "callgrind",
                                             [COUNTERS_STEP] = "step",
                                             [COUNTERS_NONE] = "none",
                                             NULL};

/* Counts the events of the work, one group at a time. Returns false if the backend could open no
 * counter. */
static bool count_with(const struct counters_backend *backend, struct counted_work work,
                       struct counts *counts) {
    size_t opened = 0;
    for (size_t i = 0; i < GROUPS; i++) {
        struct counter_value values[COUNTER_GROUP_MAX] = {0};
        opened += backend->count(groups[i], COUNTER_GROUP_MAX, work, values, counts->reason);
        for (size_t j = 0; j < COUNTER_GROUP_MAX; j++)
            counts->values[groups[i][j]] = values[j];
    }
    if (opened > 0)
        snprintf(counts->source, sizeof counts->source, "%s", backend->source);
    return opened > 0;
}

void counters_count(enum counters_source source, void (*work)(void *), void *argument,
                    struct counts *counts) {
    *counts = (struct counts){.source = "none"};
    struct counted_work both = {work, argument};
    if (source == COUNTERS_NONE)
        snprintf(counts->reason, sizeof counts->reason, "counting was not requested");
    else if (source == COUNTERS_PAPI)
        count_with(&counters_papi, both, counts);
    else if (!count_with(&counters_perf, both, counts) && source == COUNTERS_AUTO) {
        /* If PAPI fails too, perf's reason is kept. It is more precise, because PAPI uses
         * perf_event_open as well. */
        struct counts papi = {.source = "none"};
        if (count_with(&counters_papi, both, &papi))
            *counts = papi;
    }
}
