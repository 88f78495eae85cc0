#include "harness/instruments/counters_backend.h"
#include "harness/instruments/timer.h"

#include "base/loader.h"

#include <papi.h>
#include <stdio.h>

static const int presets[COUNTER_COUNT] = {
    [COUNTER_INSTRUCTIONS] = PAPI_TOT_INS,  [COUNTER_CYCLES] = PAPI_TOT_CYC,
    [COUNTER_BRANCHES] = PAPI_BR_INS,       [COUNTER_BRANCH_MISSES] = PAPI_BR_MSP,
    [COUNTER_L1D_REFERENCES] = PAPI_L1_DCA, [COUNTER_L1D_MISSES] = PAPI_L1_DCM,
    [COUNTER_LLC_REFERENCES] = PAPI_L3_TCA, [COUNTER_LLC_MISSES] = PAPI_L3_TCM,
};

/* PAPI's tables of all processors take longer to load than most commands take. */
static struct {
    __typeof__(PAPI_is_initialized) *is_initialized;
    __typeof__(PAPI_library_init) *library_init;
    __typeof__(PAPI_strerror) *strerror;
    __typeof__(PAPI_start) *start;
    __typeof__(PAPI_stop) *stop;
    __typeof__(PAPI_add_event) *add_event;
    __typeof__(PAPI_create_eventset) *create_eventset;
    __typeof__(PAPI_cleanup_eventset) *cleanup_eventset;
    __typeof__(PAPI_destroy_eventset) *destroy_eventset;
} api;
static const struct loader_symbol functions[] = {
    {"PAPI_is_initialized", (void **)&api.is_initialized},
    {"PAPI_library_init", (void **)&api.library_init},
    {"PAPI_strerror", (void **)&api.strerror},
    {"PAPI_start", (void **)&api.start},
    {"PAPI_stop", (void **)&api.stop},
    {"PAPI_add_event", (void **)&api.add_event},
    {"PAPI_create_eventset", (void **)&api.create_eventset},
    {"PAPI_cleanup_eventset", (void **)&api.cleanup_eventset},
    {"PAPI_destroy_eventset", (void **)&api.destroy_eventset},
    {0}};

static bool initialise(char *reason) {
    char file[32];
    struct error error;
    snprintf(file, sizeof file, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    const struct loader_library library = {"PAPI", {file, "libpapi.so"}, "libpapi-dev"};
    if (loader_load(&library, functions, NULL, &error)) {
        snprintf(reason, REASON_SIZE, "%.*s", (int)REASON_SIZE - 1, error.text);
        return false;
    }
    if (api.is_initialized() != PAPI_NOT_INITED ||
        api.library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT)
        return true;
    snprintf(reason, REASON_SIZE,
             "PAPI cannot be initialised. Its library must be the version that treebench was built "
             "with");
    return false;
}

static void explain(int code, char *reason) {
    const char *message = api.strerror(code);
    snprintf(reason, REASON_SIZE,
             "PAPI: %s. `papi_avail -a` (papi-tools) lists the counters of this machine",
             message != NULL ? message : "unknown error");
}

/* PAPI counts only user space by default. Without PAPI_set_multiplex, it rejects events that the
 * processor cannot count at once. So every counter runs for the whole elapsed time. */
static bool run_counted(int set, struct counted_work work, long long *found, uint64_t *elapsed_ns,
                        char *reason) {
    int code = api.start(set);
    if (code != PAPI_OK) {
        explain(code, reason);
        return false;
    }
    uint64_t begin = timer_wall_ns();
    work.run(work.argument);
    *elapsed_ns = timer_wall_ns() - begin;
    code = api.stop(set, found);
    if (code != PAPI_OK)
        explain(code, reason);
    return code == PAPI_OK;
}

static size_t count_in_set(int set, const enum counter *group, size_t n, struct counted_work work,
                           struct counter_value *values, char *reason) {
    size_t which[COUNTER_GROUP_MAX], opened = 0;
    for (size_t i = 0; i < n; i++) {
        int code = api.add_event(set, presets[group[i]]);
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
    if (!initialise(reason))
        return 0;
    int code = api.create_eventset(&set);
    if (code != PAPI_OK) {
        explain(code, reason);
        return 0;
    }
    size_t opened = count_in_set(set, group, n, work, values, reason);
    api.cleanup_eventset(set);
    api.destroy_eventset(&set);
    return opened;
}

const struct counters_backend counters_papi = {"papi", count_presets};
