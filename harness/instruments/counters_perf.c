#include "harness/instruments/counters_backend.h"

#include "base/files/kernel_file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READS_OF(cache)                                                                            \
    ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)
#define READ_MISSES_OF(cache)                                                                      \
    ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct perf_event hardware_events[COUNTER_COUNT] = {
    [COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [COUNTER_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [COUNTER_BRANCHES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    [COUNTER_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [COUNTER_L1D_REFERENCES] = {PERF_TYPE_HW_CACHE, READS_OF(PERF_COUNT_HW_CACHE_L1D)},
    [COUNTER_L1D_MISSES] = {PERF_TYPE_HW_CACHE, READ_MISSES_OF(PERF_COUNT_HW_CACHE_L1D)},
    [COUNTER_LLC_REFERENCES] = {PERF_TYPE_HW_CACHE, READS_OF(PERF_COUNT_HW_CACHE_LL)},
    [COUNTER_LLC_MISSES] = {PERF_TYPE_HW_CACHE, READ_MISSES_OF(PERF_COUNT_HW_CACHE_LL)},
};

static int read_paranoia(void) {
    int64_t level;
    bool is_known = kernel_file_integer("", "/proc/sys/kernel/perf_event_paranoid", &level);
    return is_known ? (int)level : -2;
}

static void explain_refusal(int error_number, char *reason) {
    const char *message = strerror(error_number);
    switch (error_number) {
    case EACCES:
    case EPERM:
        snprintf(reason, REASON_SIZE,
                 "perf_event_open: %s (perf_event_paranoid is %d). Run `sysctl "
                 "kernel.perf_event_paranoid=2` as root. In a container, also allow the system "
                 "call perf_event_open",
                 message, read_paranoia());
        break;
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        snprintf(reason, REASON_SIZE,
                 "perf_event_open: %s: this machine has no such counter, like many virtual "
                 "machines. Use bare metal, a VM with a virtual PMU, or --counters callgrind",
                 message);
        break;
    case ENOSYS:
        snprintf(reason, REASON_SIZE,
                 "perf_event_open: %s: this kernel has no performance events. Use one built with "
                 "CONFIG_PERF_EVENTS",
                 message);
        break;
    default:
        snprintf(reason, REASON_SIZE, "perf_event_open: %s", message);
    }
}

/* Opens a counter of the calling thread in user space. With leader < 0, opens the leader of a new
 * group, which is stopped. Otherwise, adds the counter to the leader's group. */
static int open_event(const struct perf_event *event, int leader) {
    struct perf_event_attr attributes = {.type = event->type,
                                         .size = sizeof attributes,
                                         .config = event->config,
                                         .disabled = leader < 0,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1,
                                         .read_format = PERF_FORMAT_GROUP |
                                                        PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* What read() returns for a group that was opened with PERF_FORMAT_GROUP and both times. */
struct group_reading {
    uint64_t count, enabled_ns, running_ns, values[COUNTER_GROUP_MAX];
};

static void run_counted(int leader, struct counted_work work) {
    ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    work.run(work.argument);
    ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

static bool read_group(int leader, size_t opened, struct group_reading *reading) {
    size_t wanted = (3 + opened) * sizeof(uint64_t);
    return read(leader, reading, sizeof *reading) == (ssize_t)wanted && reading->count == opened;
}

static void explain_invalid(const struct group_reading *reading, char *reason) {
    if (reading->running_ns == 0)
        snprintf(reason, REASON_SIZE,
                 "the kernel gave the counters no time: another profiler or the NMI watchdog uses "
                 "them. To stop the watchdog, run `sysctl kernel.nmi_watchdog=0` as root");
    else if (reading->running_ns != reading->enabled_ns)
        snprintf(reason, REASON_SIZE,
                 "the kernel multiplexed the counters. Stop other profilers, and the NMI watchdog "
                 "by `sysctl kernel.nmi_watchdog=0` as root");
}

size_t perf_count(const struct perf_event *events, size_t n, struct counted_work work,
                  struct counter_value *values, char *reason) {
    int descriptors[COUNTER_GROUP_MAX];
    size_t which[COUNTER_GROUP_MAX], opened = 0;
    for (size_t i = 0; i < n; i++) {
        int descriptor = open_event(&events[i], opened > 0 ? descriptors[0] : -1);
        if (descriptor < 0) {
            explain_refusal(errno, reason);
            continue;
        }
        descriptors[opened] = descriptor;
        which[opened++] = i;
    }
    if (opened == 0)
        return 0;
    struct group_reading reading = {0};
    run_counted(descriptors[0], work);
    bool complete = read_group(descriptors[0], opened, &reading);
    bool valid = complete && reading.running_ns > 0 && reading.running_ns == reading.enabled_ns;
    for (size_t i = 0; i < opened; i++) {
        values[which[i]] = (struct counter_value){valid, valid ? reading.values[i] : 0,
                                                  reading.enabled_ns, reading.running_ns};
        close(descriptors[i]);
    }
    explain_invalid(&reading, reason);
    return opened;
}

static size_t count_hardware(const enum counter *group, size_t n, struct counted_work work,
                             struct counter_value *values, char *reason) {
    struct perf_event events[COUNTER_GROUP_MAX];
    for (size_t i = 0; i < n; i++)
        events[i] = hardware_events[group[i]];
    return perf_count(events, n, work, values, reason);
}

const struct counters_backend counters_perf = {"perf", count_hardware};
