/* A finding of `treebench doctor`: one thing that measuring needs or that disturbs it. */
#ifndef HARNESS_DOCTOR_FINDING_H
#define HARNESS_DOCTOR_FINDING_H

#include "base/cpu.h"
#include "base/files/record.h"
#include "base/status.h"
#include "harness/caches/survey.h"
#include "harness/doctor/noise.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"

#include <stddef.h>

enum finding_level {
    FINDING_OK,
    FINDING_UNKNOWN, /* the system does not tell; the text says why */
    FINDING_WARNING, /* it disturbs times, or something optional is missing */
    FINDING_MISSING  /* an implementation or measuring needs it */
};
extern const char *const finding_level_names[4]; /* "ok", "unknown", "warning", "missing" */

enum { FINDING_NAME_SIZE = 24, FINDING_TEXT_SIZE = 512, FINDINGS_MOST = 64 };

struct finding {
    char name[FINDING_NAME_SIZE]; /* what was looked at: "governor" */
    enum finding_level level;
    char text[FINDING_TEXT_SIZE];   /* what was found: "powersave" */
    char effect[FINDING_TEXT_SIZE]; /* what that does to results; "" if it does nothing */
    /* the command that fixes it, or what else to do; "" if there is nothing to do */
    char fix[FINDING_TEXT_SIZE];
};

struct findings {
    struct finding items[FINDINGS_MOST];
    size_t count;
};

/* Adds a finding. `effect` and `fix` may be NULL. With FINDING_OK, `fix` is dropped. If there are
 * FINDINGS_MOST already, replaces the last one. */
void findings_add(struct findings *findings, const char *name, enum finding_level level,
                  const char *effect, const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* For reasons such as "perf_event_open: refused. Run `sysctl ...`": the first sentence becomes the
 * text and the rest the fix. */
void findings_add_reason(struct findings *findings, const char *name, enum finding_level level,
                         const char *effect, const char *reason);

enum finding_level
findings_worst(const struct findings *findings); /* FINDING_OK if there is none */

/* The fields name, level, text, effect and fix, in this order. Empty texts are null. */
extern const struct record finding_record;

/* --- the processor and the system's settings; measure nothing --------------------------------- */

/* CPU, instructions, cores, caches. */
void find_processor(const struct cpu_info *cpu, struct findings *findings);

/* load, CPU quota, virtualisation, governor, turbo, SMT, isolated cores, idle states, ASLR, huge
 * pages. `cores` is the number of logical processors that this process may use. */
void find_settings(const struct surroundings *surroundings, unsigned cores,
                   struct findings *findings);

/* steal time, between two readings. All zeros before: since the system started. */
void find_steal(const struct cpu_ticks *before, const struct cpu_ticks *after,
                struct findings *findings);

/* --- what treebench measures with and calls --------------------------------------------------- */

/* wall clock, CPU clock. */
void find_clocks(const struct surroundings *surroundings, const struct timer_info *timer,
                 struct findings *findings);

/* counters, perf events, PAPI, ptrace. */
void find_counters(const struct surroundings *surroundings, struct findings *findings);

/* build, compiler, valgrind, gnuplot. Runs each program with --version. */
void find_programs(struct findings *findings);

/* One finding for each library that treebench is compared with. */
void find_libraries(struct findings *findings);

/* Tries whether a process may single-step its child with ptrace, which counts instructions exactly
 * on machines without counters: starts a child, steps it once and ends it. STATUS_MACHINE, with the
 * reason, if the system does not allow it. */
enum status stepping_try(struct error *error);

/* --- what was measured; `status` and `error` are what measuring returned ---------------------- */

/* clock rate, latency, latency (huge), last cache, bandwidth. "last cache" is there only if it is
 * smaller than reported. */
void find_memory(const struct memory_survey *survey, enum status status, const struct error *error,
                 struct findings *findings);

/* stalls */
void find_stalls(const struct stalls *stalls, struct findings *findings);

/* noise */
void find_noise(const struct noise *noise, enum status status, const struct error *error,
                struct findings *findings);

#endif
