#include "harness/instruments/machine.h"

#include "base/cpu.h"
#include "build_info.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What a manifest says about this machine and this program. */
struct machine {
    char started[32]; /* UTC */
    struct cpu_info cpu;
    char cpu_features[128];
    enum answer has_hypervisor;
    size_t memory_bytes; /* 0 if unknown */
    char kernel[200];
    const char *commit, *compiler, *flags;
    bool is_dirty;
    struct timer_info clocks;
    struct counts counts; /* only what counts, and why not */
    struct surroundings surroundings;
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Whether the machine is virtual: whether /proc/cpuinfo has the x86 flag "hypervisor". Unknown if
 * /proc/cpuinfo lists no flags. */
static enum answer read_hypervisor(void) {
    char flags[1 << 13];
    cpu_read_field("flags", flags, sizeof flags);
    return !flags[0] ? ANSWER_UNKNOWN : strstr(flags, "hypervisor") ? ANSWER_YES : ANSWER_NO;
}

static size_t read_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (size_t)pages * (size_t)page_bytes : 0;
}

/* Leaves out uname's node name, because it is the host name. */
static void read_kernel(char *text, size_t size) {
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(text, size, "%s %s %s", names.sysname, names.release, names.machine);
}

static void read_started(char *text, size_t size) {
    struct tm utc;
    time_t now = time(NULL);
    if (gmtime_r(&now, &utc) != NULL)
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void do_nothing(void *argument) {
    (void)argument;
}

static void read_machine(struct machine *m) {
    *m = (struct machine){.has_hypervisor = read_hypervisor(),
                          .memory_bytes = read_memory(),
                          .commit = BUILD_COMMIT,
                          .is_dirty = BUILD_DIRTY,
                          .compiler = BUILD_COMPILER,
                          .flags = BUILD_FLAGS};
    read_started(m->started, sizeof m->started);
    cpu_read_info(&m->cpu);
    cpu_feature_names(cpu_features(), m->cpu_features, sizeof m->cpu_features);
    read_kernel(m->kernel, sizeof m->kernel);
    timer_measure(&m->clocks);
    counters_count(COUNTERS_AUTO, do_nothing, NULL, &m->counts);
    surroundings_read("", &m->surroundings);
}

/* --- fields ----------------------------------------------------------------------------------- */

#define KEYED(KIND, NAME, MEMBER, ...) FIELD(struct machine, KIND, NAME, MEMBER, __VA_ARGS__)
#define KNOWN .zero_is_unknown = true
static const struct record_field cpu_fields[] = {
    KEYED(TEXT, "model", cpu.model, KNOWN),
    KEYED(TEXT, "microcode", cpu.microcode, KNOWN),
    KEYED(TEXT, "features", cpu_features, KNOWN),
    KEYED(TEXT, "governor", cpu.governor, KNOWN),
    KEYED(COUNT, "l1d_bytes", cpu.l1d_bytes, KNOWN),
    KEYED(COUNT, "l2_bytes", cpu.l2_bytes, KNOWN),
    KEYED(COUNT, "l3_bytes", cpu.l3_bytes, KNOWN),
    KEYED(U32, "cores", cpu.cores, KNOWN),
    KEYED(U32, "numa_nodes", cpu.numa_nodes, KNOWN),
    KEYED(FORM, "hypervisor", has_hypervisor, .form = &answer_form)};
static const struct record_field build_fields[] = {
    KEYED(STRING, "commit", commit, KNOWN), PLAIN(struct machine, BOOL, "dirty", is_dirty),
    KEYED(STRING, "compiler", compiler, KNOWN), KEYED(STRING, "flags", flags, KNOWN)};
static const struct record_field clocks_fields[] = {
    PLAIN(struct machine, NUMBER, "wall_resolution_ns", clocks.wall_resolution_ns),
    PLAIN(struct machine, NUMBER, "cpu_resolution_ns", clocks.cpu_resolution_ns),
    PLAIN(struct machine, NUMBER, "wall_cost_ns", clocks.wall_cost_ns),
    PLAIN(struct machine, NUMBER, "cpu_cost_ns", clocks.cpu_cost_ns)};
/* which counters AUTO selects on this machine; each row records which it used */
static const struct record_field counters_fields[] = {KEYED(TEXT, "source", counts.source, KNOWN),
                                                      KEYED(TEXT, "reason", counts.reason, KNOWN)};
static const struct record cpu_record = RECORD_OF(cpu_fields),
                           build_record = RECORD_OF(build_fields),
                           clocks_record = RECORD_OF(clocks_fields),
                           counters_record = RECORD_OF(counters_fields);

static const struct record_field machine_fields[] = {
    KEYED(TEXT, "started", started, KNOWN),
    PLAIN(struct machine, NUMBER, "load", surroundings.load),
    WHOLE(OBJECT, "cpu", .record = &cpu_record),
    KEYED(COUNT, "memory_bytes", memory_bytes, KNOWN),
    KEYED(TEXT, "kernel", kernel, KNOWN),
    WHOLE(OBJECT, "build", .record = &build_record),
    WHOLE(OBJECT, "clocks", .record = &clocks_record),
    WHOLE(OBJECT, "counters", .record = &counters_record),
    KEYED(OBJECT, "surroundings", surroundings, .record = &surroundings_record)};
static const struct record machine_record = RECORD_OF(machine_fields);

cJSON *machine_manifest(void) {
    struct machine machine;
    read_machine(&machine);
    return record_to_json(&machine_record, &machine);
}

const char *machine_compiler(void) {
    return BUILD_COMPILER;
}
