#include "harness/instruments/machine.h"

#include "base/cpu.h"
#include "build_info.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static bool add_text(cJSON *object, const char *key, const char *text) {
    return (text[0] != '\0' ? cJSON_AddStringToObject(object, key, text)
                            : cJSON_AddNullToObject(object, key)) != NULL;
}

static bool add_size(cJSON *object, const char *key, size_t size) {
    return (size > 0 ? cJSON_AddNumberToObject(object, key, (double)size)
                     : cJSON_AddNullToObject(object, key)) != NULL;
}

/* Records whether the machine is virtual: whether /proc/cpuinfo has the x86 flag "hypervisor". The
 * value is null if /proc/cpuinfo lists no flags. */
static bool add_hypervisor(cJSON *object) {
    char flags[1 << 13];
    cpu_read_field("flags", flags, sizeof flags);
    bool known = flags[0] != '\0', found = strstr(flags, "hypervisor") != NULL;
    return (known ? cJSON_AddBoolToObject(object, "hypervisor", found)
                  : cJSON_AddNullToObject(object, "hypervisor")) != NULL;
}

static bool add_load(cJSON *manifest) {
    double load = cpu_load();
    return (isnan(load) ? cJSON_AddNullToObject(manifest, "load")
                        : cJSON_AddNumberToObject(manifest, "load", load)) != NULL;
}

static bool add_cpu(cJSON *manifest) {
    struct cpu_info info;
    char features[128];
    cpu_read_info(&info);
    cpu_feature_names(cpu_features(), features, sizeof features);
    cJSON *cpu = cJSON_AddObjectToObject(manifest, "cpu");
    return cpu != NULL && add_text(cpu, "model", info.model) &&
           add_text(cpu, "microcode", info.microcode) && add_text(cpu, "features", features) &&
           add_text(cpu, "governor", info.governor) && add_size(cpu, "l1d_bytes", info.l1d_bytes) &&
           add_size(cpu, "l2_bytes", info.l2_bytes) && add_size(cpu, "l3_bytes", info.l3_bytes) &&
           add_size(cpu, "cores", info.cores) && add_size(cpu, "numa_nodes", info.numa_nodes) &&
           add_hypervisor(cpu);
}

static bool add_memory(cJSON *manifest) {
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    size_t bytes = pages > 0 && page_bytes > 0 ? (size_t)pages * (size_t)page_bytes : 0;
    return add_size(manifest, "memory_bytes", bytes);
}

/* Leaves out uname's node name, because it is the host name. */
static bool add_kernel(cJSON *manifest) {
    struct utsname names;
    char text[3 * sizeof names.release] = "";
    if (uname(&names) == 0)
        snprintf(text, sizeof text, "%s %s %s", names.sysname, names.release, names.machine);
    return add_text(manifest, "kernel", text);
}

static bool add_started(cJSON *manifest) {
    char text[32] = "";
    struct tm utc;
    time_t now = time(NULL);
    if (gmtime_r(&now, &utc) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return add_text(manifest, "started", text);
}

static bool add_build(cJSON *manifest) {
    cJSON *build = cJSON_AddObjectToObject(manifest, "build");
    return build != NULL && add_text(build, "commit", BUILD_COMMIT) &&
           cJSON_AddBoolToObject(build, "dirty", BUILD_DIRTY) != NULL &&
           add_text(build, "compiler", BUILD_COMPILER) && add_text(build, "flags", BUILD_FLAGS);
}

static bool add_clocks(cJSON *manifest) {
    struct timer_info info;
    timer_measure(&info);
    const struct {
        const char *key;
        double value;
    } entries[] = {{"wall_resolution_ns", info.wall_resolution_ns},
                   {"cpu_resolution_ns", info.cpu_resolution_ns},
                   {"wall_cost_ns", info.wall_cost_ns},
                   {"cpu_cost_ns", info.cpu_cost_ns}};
    cJSON *clocks = cJSON_AddObjectToObject(manifest, "clocks");
    bool added = clocks != NULL;
    for (size_t i = 0; added && i < sizeof entries / sizeof *entries; i++)
        added = cJSON_AddNumberToObject(clocks, entries[i].key, entries[i].value) != NULL;
    return added;
}

static void do_nothing(void *argument) {
    (void)argument;
}

static bool add_surroundings(cJSON *manifest) {
    struct surroundings surroundings;
    surroundings_read("", &surroundings);
    cJSON *object = surroundings_to_json(&surroundings);
    if (object != NULL && cJSON_AddItemToObject(manifest, "surroundings", object))
        return true;
    cJSON_Delete(object);
    return false;
}

/* Records which counters AUTO selects on this machine. The `counts` of each row record which
 * counters were used for that row. */
static bool add_counters(cJSON *manifest) {
    struct counts counts;
    counters_count(COUNTERS_AUTO, do_nothing, NULL, &counts);
    cJSON *counters = cJSON_AddObjectToObject(manifest, "counters");
    return counters != NULL && add_text(counters, "source", counts.source) &&
           add_text(counters, "reason", counts.reason);
}

cJSON *machine_manifest(void) {
    cJSON *manifest = cJSON_CreateObject();
    if (manifest != NULL && add_started(manifest) && add_load(manifest) && add_cpu(manifest) &&
        add_memory(manifest) && add_kernel(manifest) && add_build(manifest) &&
        add_clocks(manifest) && add_counters(manifest) && add_surroundings(manifest))
        return manifest;
    cJSON_Delete(manifest);
    return NULL;
}

const char *machine_compiler(void) {
    return BUILD_COMPILER;
}
