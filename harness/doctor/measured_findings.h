/* Findings that follow from measurements: of the caches and memory, and of the noise. `status` and
 * `error` are what measuring returned. */
#ifndef HARNESS_DOCTOR_MEASURED_FINDINGS_H
#define HARNESS_DOCTOR_MEASURED_FINDINGS_H

#include "harness/doctor/finding.h"
#include "harness/doctor/noise.h"
#include "harness/memory/survey.h"

/* clock rate, latency, latency (huge), last cache, bandwidth. "last cache" is there only if it is
 * smaller than reported. */
void find_memory(const struct memory_survey *survey, enum status status, const struct error *error,
                 struct findings *findings);

/* noise */
void find_noise(const struct noise *noise, enum status status, const struct error *error,
                struct findings *findings);

#endif
