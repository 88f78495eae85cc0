#include "harness/latency/causes.h"

#include <sched.h>
#include <sys/resource.h>

struct causes_reading causes_read(void) {
    struct rusage usage = {.ru_nvcsw = 0};
    getrusage(RUSAGE_THREAD, &usage);
    return (struct causes_reading){{.preemptions = (uint64_t)usage.ru_nivcsw,
                                    .waits = (uint64_t)usage.ru_nvcsw,
                                    .minor_faults = (uint64_t)usage.ru_minflt,
                                    .major_faults = (uint64_t)usage.ru_majflt},
                                   sched_getcpu()};
}

static uint64_t faults(const struct causes *causes) {
    return causes->minor_faults + causes->major_faults;
}

void causes_add_slow(struct causes_reading *last, struct causes *to) {
    struct causes_reading now = causes_read();
    to->slow++;
    if (now.since_start.preemptions != last->since_start.preemptions)
        to->slow_preempted++;
    else if (faults(&now.since_start) != faults(&last->since_start))
        to->slow_faulted++;
    *last = now;
}

void causes_add(const struct causes_reading *before, struct causes *to) {
    struct causes_reading after = causes_read();
    to->preemptions += after.since_start.preemptions - before->since_start.preemptions;
    to->waits += after.since_start.waits - before->since_start.waits;
    to->minor_faults += after.since_start.minor_faults - before->since_start.minor_faults;
    to->major_faults += after.since_start.major_faults - before->since_start.major_faults;
    to->migrations += after.processor != before->processor;
}
