/* Tries whether a process may single-step its child with ptrace, which counts instructions exactly
 * on machines without counters. */
#ifndef HARNESS_DOCTOR_STEPPING_H
#define HARNESS_DOCTOR_STEPPING_H

#include "base/status.h"

/* Starts a child, steps it once and ends it. STATUS_MACHINE, with the reason, if the system does
 * not allow it. */
enum status stepping_try(struct error *error);

#endif
