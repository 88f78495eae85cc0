#include "harness/instruments/counters_backend.h"
#include "harness/instruments/timer.h"

#include <papi.h>
#include <stdio.h>

static const int presets[COUNTER_COUNT] = {
    [COUNTER_INSTRUCTIONS] = PAPI_TOT_INS,  [COUNTER_CYCLES] = PAPI_TOT_CYC,
    [COUNTER_BRANCHES] = PAPI_BR_INS,       [COUNTER_BRANCH_MISSES] = PAPI_BR_MSP,
    [COUNTER_L1D_REFERENCES] = PAPI_L1_DCA, [COUNTER_L1D_MISSES] = PAPI_L1_DCM,
    [COUNTER_LLC_REFERENCES] = PAPI_L3_TCA, [COUNTER_LLC_MISSES] = PAPI_L3_TCM,
};

static bool initialise(void) {
    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return true;
    return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
}

static void explain(int code, char *reason) {
    const char *message = PAPI_strerror(code);
    snprintf(reason, REASON_SIZE,
             "PAPI: %s. `papi_avail -a` (papi-tools) lists the counters of this machine",
             message != NULL ? message : "unknown error");
}

/* PAPI counts only user space by default. Without PAPI_set_multiplex, it rejects events that the
 * processor cannot count at once. So every counter runs for the whole elapsed time. */
static bool run_counted(int set, struct counted_work work, long long *found, uint64_t *elapsed_ns,
                        char *reason) {
    int code = PAPI_start(set);
    if (code != PAPI_OK) {
        explain(code, reason);
        return false;
    }
    uint64_t begin = timer_wall_ns();
    work.run(work.argument);
    *elapsed_ns = timer_wall_ns() - begin;
    code = PAPI_stop(set, found);
    if (code != PAPI_OK)
        explain(code, reason);
    return code == PAPI_OK;
}

static size_t count_in_set(int set, const enum counter *group, size_t n, struct counted_work work,
                           struct counter_value *values, char *reason) {
    size_t which[COUNTER_GROUP_MAX], opened = 0;
    for (size_t i = 0; i < n; i++) {
        int code = PAPI_add_event(set, presets[group[i]]);
        if (code == PAPI_OK)
            which[opened++] = i;
        else
            explain(code, reason);
    }
    if (opened == 0)
        return 0;
    long long found[COUNTER_GROUP_MAX];
    uint64_t elapsed_ns;
    if (run_counted(set, work, found, &elapsed_ns, reason))
        for (size_t i = 0; i < opened; i++)
            values[which[i]] =
                (struct counter_value){true, (uint64_t)found[i], elapsed_ns, elapsed_ns};
    return opened;
}

static size_t count_presets(const enum counter *group, size_t n, struct counted_work work,
                            struct counter_value *values, char *reason) {
    int set = PAPI_NULL;
    if (!initialise() || PAPI_create_eventset(&set) != PAPI_OK) {
        snprintf(reason, REASON_SIZE,
                 "PAPI cannot be initialised. Its library must be the version that treebench was "
                 "built with");
        return 0;
    }
    size_t opened = count_in_set(set, group, n, work, values, reason);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    return opened;
}

const struct counters_backend counters_papi = {"papi", count_presets};
