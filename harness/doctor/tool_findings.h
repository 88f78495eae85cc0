/* Findings about what treebench measures with and calls: clocks, counters, programs, libraries. */
#ifndef HARNESS_DOCTOR_TOOL_FINDINGS_H
#define HARNESS_DOCTOR_TOOL_FINDINGS_H

#include "harness/doctor/finding.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"

/* wall clock, CPU clock. */
void find_clocks(const struct surroundings *surroundings, const struct timer_info *timer,
                 struct findings *findings);

/* counters, perf events, PAPI, ptrace. */
void find_counters(const struct surroundings *surroundings, struct findings *findings);

/* build, compiler, valgrind, gnuplot. Runs each program with --version. */
void find_programs(struct findings *findings);

/* One finding for each library that treebench is compared with. */
void find_libraries(struct findings *findings);

#endif
