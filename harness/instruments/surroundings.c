#include "harness/instruments/surroundings.h"

#include "base/files/kernel_file.h"
#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { TEXT_SIZE = 256, CPUS_MOST = 4096, IDLE_STATES_MOST = 16 };

/* --- the clock rate --------------------------------------------------------------------------- */

/* Looks at all processors, because each has a governor of its own. */
static void read_governor(const char *root, struct surroundings *s) {
    for (unsigned cpu = 0; cpu < CPUS_MOST; cpu++) {
        char path[128], governor[sizeof s->governor];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
        if (!kernel_file_line(root, path, governor, sizeof governor) || !governor[0])
            return;
        memcpy(s->governor, governor, sizeof governor);
        if (strcmp(governor, "performance") != 0)
            return;
    }
}

/* Reads a file with 0 or 1. */
static enum answer read_switch(const char *root, const char *path) {
    int64_t value;
    return !kernel_file_integer(root, path, &value) ? ANSWER_UNKNOWN
           : value                                  ? ANSWER_YES
                                                    : ANSWER_NO;
}

static void read_turbo(const char *root, struct surroundings *s) {
    static const char intel[] = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    static const char others[] = "/sys/devices/system/cpu/cpufreq/boost";
    enum answer is_off = read_switch(root, intel), is_on = read_switch(root, others);
    s->turbo = !is_off ? is_on : is_off == ANSWER_YES ? ANSWER_NO : ANSWER_YES;
    s->turbo_switch = is_off ? intel : is_on ? others : NULL;
}

/* --- sharing ---------------------------------------------------------------------------------- */

/* A file with a list of processors such as "2-7". Kernels write "(null)" for an empty one. */
static enum answer has_processors(const char *root, const char *path) {
    char text[TEXT_SIZE];
    if (!kernel_file_line(root, path, text, sizeof text))
        return ANSWER_UNKNOWN;
    return kernel_list_count(text) > 0 ? ANSWER_YES : ANSWER_NO;
}

/* Processors are isolated at boot, or later by control groups. A kernel without nohz_full, or
 * booted without it, may lack the file. */
static void read_isolation(const char *root, struct surroundings *s) {
    s->isolated = has_processors(root, "/sys/devices/system/cpu/isolated");
    if (has_processors(root, "/sys/fs/cgroup/cpuset.cpus.isolated") == ANSWER_YES)
        s->isolated = ANSWER_YES;
    s->tickless = has_processors(root, "/sys/devices/system/cpu/nohz_full");
    if (s->tickless == ANSWER_UNKNOWN && s->isolated != ANSWER_UNKNOWN)
        s->tickless = ANSWER_NO;
}

/* The idle states of the first processor stand for those of all. */
static void read_idle_states(const char *root, struct surroundings *s) {
    char path[128];
    int64_t exit_us, disabled = 0;
    s->idle_exit_us = -1;
    for (int state = 0; state < IDLE_STATES_MOST; state++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/latency", state);
        if (!kernel_file_integer(root, path, &exit_us) || exit_us < 0 || exit_us > INT_MAX)
            return;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable", state);
        if (!(kernel_file_integer(root, path, &disabled) && disabled) && exit_us > s->idle_exit_us)
            s->idle_exit_us = (int)exit_us;
    }
}

static void read_load(const char *root, struct surroundings *s) {
    char text[TEXT_SIZE];
    double load;
    const char *end = kernel_file_line(root, "/proc/loadavg", text, sizeof text)
                          ? number_parse_double(text, text + strlen(text), &load)
                          : NULL;
    s->load = end && *end == ' ' ? load : (double)NAN;
}

/* The first line reads "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST GUEST_NICE". USER
 * and NICE include the time of guests. */
static void read_ticks(const char *root, struct surroundings *s) {
    enum { STEAL = 7 };
    char text[TEXT_SIZE];
    if (!kernel_file_line(root, "/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0)
        return;
    struct cpu_ticks ticks = {0};
    const char *at = text + 4, *end = text + strlen(text);
    for (int field = 0; field <= STEAL; field++) {
        int64_t value;
        at += strspn(at, " ");
        if (!(at = number_parse_i64(at, end, &value)) || value < 0)
            return;
        ticks.total += (uint64_t)value;
        ticks.stolen = (uint64_t)value;
    }
    s->ticks = ticks;
}

double surroundings_steal(const struct cpu_ticks *before, const struct cpu_ticks *after) {
    /* the kernel's counter of stolen time may run backwards when a machine is migrated */
    if (after->total <= before->total || after->stolen < before->stolen)
        return (double)NAN;
    return (double)(after->stolen - before->stolen) / (double)(after->total - before->total);
}

/* --- control groups --------------------------------------------------------------------------- */

/* "200000 100000" allows 200000 us of every 100000 us, which are two processors. */
static double parse_quota(const char *text) {
    const char *end = text + strlen(text);
    double quota, period;
    if (strncmp(text, "max", 3) == 0)
        return (double)INFINITY;
    const char *at = number_parse_double(text, end, &quota);
    if (!at || !number_parse_double(at + strspn(at, " "), end, &period) || !(period > 0))
        return (double)NAN;
    return quota < 0 ? (double)INFINITY : quota / period;
}

static void lower_quota(double quota, struct surroundings *s) {
    if (!isnan(quota) && (isnan(s->cpu_quota) || quota < s->cpu_quota))
        s->cpu_quota = quota;
}

static void lower_memory(int64_t left, struct surroundings *s) {
    uint64_t bytes = left > 0 ? (uint64_t)left : 1;
    if (s->memory_available == 0 || bytes < s->memory_available)
        s->memory_available = bytes;
}

/* Reads the limits of one control group, and not of those around it. */
static void read_group(const char *root, const char *group, struct surroundings *s) {
    char path[PATH_MAX], text[TEXT_SIZE];
    int64_t most, used;
    snprintf(path, sizeof path, "/sys/fs/cgroup%.1024s/cpu.max", group);
    if (kernel_file_line(root, path, text, sizeof text))
        lower_quota(parse_quota(text), s);
    snprintf(path, sizeof path, "/sys/fs/cgroup%.1024s/memory.max", group);
    if (!kernel_file_integer(root, path, &most))
        return;
    snprintf(path, sizeof path, "/sys/fs/cgroup%.1024s/memory.current", group);
    if (kernel_file_integer(root, path, &used))
        lower_memory(most - used, s);
}

/* Version 1 of control groups shows a container only its own group. */
static void read_groups_v1(const char *root, struct surroundings *s) {
    char text[TEXT_SIZE];
    int64_t quota, period, most, used;
    if (kernel_file_integer(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota) &&
        kernel_file_integer(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period)) {
        snprintf(text, sizeof text, "%lld %lld", (long long)quota, (long long)period);
        lower_quota(parse_quota(text), s);
    }
    if (kernel_file_integer(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", &most) &&
        kernel_file_integer(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", &used))
        lower_memory(most - used, s);
}

/* Finds the line "0::/GROUP" of /proc/self/cgroup. In a container, the path may be one of the host
 * that the container does not see. Then only the group "" is found. */
static void read_groups(const char *root, struct surroundings *s) {
    char text[4096], unused[TEXT_SIZE];
    if (!kernel_file_read(root, "/proc/self/cgroup", text, sizeof text))
        text[0] = '\0';
    char *line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
    char *group = line ? strchr(line, '/') : text + strlen(text);
    group[strcspn(group, "\n")] = '\0';
    /* a limit of a group around this one holds too */
    for (char *slash; (slash = strrchr(group, '/')) != NULL; *slash = '\0')
        if (slash[1])
            read_group(root, group, s);
    read_group(root, "", s);
    read_groups_v1(root, s);
    if (isnan(s->cpu_quota) &&
        kernel_file_read(root, "/sys/fs/cgroup/cgroup.controllers", unused, sizeof unused))
        s->cpu_quota = (double)INFINITY;
}

static void read_memory(const char *root, struct surroundings *s) {
    int64_t kilobytes;
    if (kernel_file_kilobytes(root, "/proc/meminfo", "MemAvailable:", &kilobytes) &&
        kilobytes > 0 && kilobytes < INT64_MAX / 1024)
        lower_memory(kilobytes * 1024, s);
}

/* --- virtual machines ------------------------------------------------------------------------- */

/* Asks the processor for the name by which the hypervisor presents itself. */
static void ask_processor(struct surroundings *s) {
#if defined(__x86_64__) || defined(__i386__)
    static const struct {
        const char *signature, *name;
    } known[] = {{"KVMKVMKVM", "KVM"},          {"Microsoft Hv", "Hyper-V"},
                 {"VMwareVMware", "VMware"},    {"XenVMMXenVMM", "Xen"},
                 {"TCGTCGTCGTCG", "QEMU"},      {"bhyve bhyve ", "bhyve"},
                 {"VBoxVBoxVBox", "VirtualBox"}};
    unsigned eax, ebx, ecx, edx;
    char signature[13] = "";
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return;
    s->is_virtual = ecx >> 31 ? ANSWER_YES : ANSWER_NO;
    if (s->is_virtual == ANSWER_NO)
        return;
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(signature, known[i].signature) == 0)
            snprintf(s->hypervisor, sizeof s->hypervisor, "%s", known[i].name);
#else
    (void)s;
#endif
}

/* True if the list of words, separated by spaces, has this word. */
static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ' || at[-1] == '\t') &&
            (at[length] == ' ' || at[length] == '\n' || at[length] == '\0'))
            return true;
    return false;
}

/* The line "flags : ..." of /proc/cpuinfo is x86's. */
static void read_flags(const char *root, struct surroundings *s) {
    char text[1 << 14];
    kernel_file_read(root, "/proc/cpuinfo", text, sizeof text);
    char *flags = strstr(text, "\nflags");
    if (!flags)
        return;
    flags[1 + strcspn(flags + 1, "\n")] = '\0';
    s->is_virtual = has_word(flags, "hypervisor") ? ANSWER_YES : ANSWER_NO;
}

static void read_hypervisor(const char *root, struct surroundings *s) {
    char text[sizeof s->hypervisor];
    if (root[0] == '\0')
        ask_processor(s);
    else
        read_flags(root, s);
    /* Xen's privileged domain and machines without x86's flag */
    if (s->is_virtual != ANSWER_YES &&
        kernel_file_line(root, "/sys/hypervisor/type", text, sizeof text) && text[0]) {
        s->is_virtual = ANSWER_YES;
        memcpy(s->hypervisor, text, sizeof text);
    }
}

/* --- the rest --------------------------------------------------------------------------------- */

/* The file reads "always [madvise] never". */
static void read_huge_pages(const char *root, struct surroundings *s) {
    char text[TEXT_SIZE];
    kernel_file_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    const char *chosen = strchr(text, '[');
    if (chosen && strchr(chosen, ']'))
        snprintf(s->huge_pages, sizeof s->huge_pages, "%.*s", (int)strcspn(chosen + 1, "]"),
                 chosen + 1);
}

static int read_small_integer(const char *root, const char *path, int unknown) {
    int64_t value;
    return kernel_file_integer(root, path, &value) && value >= INT_MIN && value <= INT_MAX
               ? (int)value
               : unknown;
}

void surroundings_read(const char *root, struct surroundings *surroundings) {
    struct surroundings *s = surroundings;
    *s = (struct surroundings){.cpu_quota = (double)NAN};
    read_governor(root, s);
    read_turbo(root, s);
    s->smt = read_switch(root, "/sys/devices/system/cpu/smt/active");
    read_isolation(root, s);
    read_idle_states(root, s);
    read_huge_pages(root, s);
    read_load(root, s);
    read_ticks(root, s);
    read_memory(root, s);
    read_groups(root, s);
    read_hypervisor(root, s);
    s->aslr = read_small_integer(root, "/proc/sys/kernel/randomize_va_space", -1);
    s->perf_event_paranoid = read_small_integer(root, "/proc/sys/kernel/perf_event_paranoid", -2);
    s->ptrace_scope = read_small_integer(root, "/proc/sys/kernel/yama/ptrace_scope", -1);
    kernel_file_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                     s->clock_source, sizeof s->clock_source);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static cJSON *answer_to_json(const void *member) {
    enum answer answer = *(const enum answer *)member;
    return answer == ANSWER_UNKNOWN ? cJSON_CreateNull() : cJSON_CreateBool(answer == ANSWER_YES);
}

const struct record_form answer_form = {.type = "boolean or null", .to_json = answer_to_json};

static cJSON *steal_to_json(const void *member) {
    double steal = surroundings_steal(&(struct cpu_ticks){0}, member);
    return isnan(steal) ? cJSON_CreateNull() : cJSON_CreateNumber(steal);
}

static const struct record_form steal_form = {.type = "number", .to_json = steal_to_json};

#define KEYED(KIND, NAME, MEMBER, ...) FIELD(struct surroundings, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field fields[] = {
    KEYED(TEXT, "governor", governor, .zero_is_unknown = true),
    KEYED(FORM, "turbo", turbo, .form = &answer_form),
    KEYED(FORM, "smt", smt, .form = &answer_form),
    KEYED(FORM, "isolated", isolated, .form = &answer_form),
    KEYED(FORM, "tickless", tickless, .form = &answer_form),
    KEYED(INT, "idle_exit_us", idle_exit_us, .low = 0),
    KEYED(INT, "aslr", aslr, .low = 0),
    KEYED(TEXT, "huge_pages", huge_pages, .zero_is_unknown = true),
    PLAIN(struct surroundings, NUMBER, "load", load),
    KEYED(FORM, "steal", ticks, .form = &steal_form),
    KEYED(FORM, "virtual", is_virtual, .form = &answer_form),
    KEYED(TEXT, "hypervisor", hypervisor, .zero_is_unknown = true),
    PLAIN(struct surroundings, NUMBER, "cpu_quota",
          cpu_quota), /* JSON has no infinity: null like NaN */
    KEYED(INT, "perf_event_paranoid", perf_event_paranoid, .low = -1),
    KEYED(INT, "ptrace_scope", ptrace_scope, .low = 0),
    KEYED(TEXT, "clock_source", clock_source, .zero_is_unknown = true)};
const struct record surroundings_record = RECORD_OF(fields);
