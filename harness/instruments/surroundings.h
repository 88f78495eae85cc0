/* How the system is set up, as far as it affects times: the facts behind `treebench doctor`, and
 * the key "surroundings" of a manifest. They come from /proc, /sys and the processor. Reading them
 * needs no rights, takes about a millisecond and measures nothing. */
#ifndef HARNESS_INSTRUMENTS_SURROUNDINGS_H
#define HARNESS_INSTRUMENTS_SURROUNDINGS_H

#include "base/files/record.h"

#include <stdint.h>

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Time of all logical processors since the system started, in ticks. */
struct cpu_ticks {
    uint64_t total;  /* 0 if unknown */
    uint64_t stolen; /* the hypervisor ran something else */
};

struct surroundings {
    /* "performance" if all processors have this governor, else the first other one; "" if unknown,
     * as are the other texts */
    char governor[32];
    enum answer turbo;        /* may the clock exceed its base rate? */
    const char *turbo_switch; /* the file that switches turbo, or NULL */
    enum answer smt;          /* may two hyper-threads share a core? */
    enum answer isolated;     /* does the scheduler keep other programs off some processors? */
    enum answer tickless;     /* do some processors have no timer interrupts while they compute? */
    int idle_exit_us;         /* longest time to leave an enabled idle state; -1: unknown */
    int aslr;                 /* 0: off; 1, 2: on; -1: unknown */
    char huge_pages[16];      /* transparent huge pages: "always", "madvise" or "never" */
    double load; /* average of the last minute: running or waiting tasks; NaN if unknown */
    struct cpu_ticks ticks;
    enum answer is_virtual;
    char hypervisor[16];     /* such as "KVM" */
    double cpu_quota;        /* processors that the control group may use; INFINITY: no limit; NaN:
                                unknown */
    int perf_event_paranoid; /* -2 if unknown */
    int ptrace_scope;        /* of Yama; -1 if the kernel has no Yama */
    char clock_source[16];   /* such as "tsc" */
    uint64_t memory_available; /* bytes that this process may still use; 0 if unknown */
};

/* `root` is "" for the running system. Tests pass the folder of a made-up tree with proc/ and
 * sys/. */
void surroundings_read(const char *root, struct surroundings *surroundings);

/* The share of time that the hypervisor took between two readings, from 0 to 1. NaN if unknown. For
 * the share since the system started, `before` is all zeros. */
double surroundings_steal(const struct cpu_ticks *before, const struct cpu_ticks *after);

/* The object of docs/doctor.md. Unknown values are null. */
extern const struct record surroundings_record;

extern const struct record_form answer_form; /* enum answer: true, false, or null if unknown */

#endif
