/* Findings about the processor and the system's settings. They follow from what was read and
 * measure nothing. */
#ifndef HARNESS_DOCTOR_SYSTEM_FINDINGS_H
#define HARNESS_DOCTOR_SYSTEM_FINDINGS_H

#include "base/cpu.h"
#include "harness/doctor/finding.h"
#include "harness/instruments/surroundings.h"

/* CPU, instructions, cores, caches. */
void find_processor(const struct cpu_info *cpu, struct findings *findings);

/* load, CPU quota, virtualisation, governor, turbo, SMT, ASLR, huge pages. `cores` is the number of
 * logical processors that this process may use. */
void find_settings(const struct surroundings *surroundings, unsigned cores,
                   struct findings *findings);

/* steal time, between two readings. All zeros before: since the system started. */
void find_steal(const struct cpu_ticks *before, const struct cpu_ticks *after,
                struct findings *findings);

#endif
