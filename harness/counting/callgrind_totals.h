/* Reads the profile that callgrind writes at the end of a run. */
#ifndef HARNESS_COUNTING_CALLGRIND_TOTALS_H
#define HARNESS_COUNTING_CALLGRIND_TOTALS_H

#include "base/status.h"
#include "harness/instruments/counters.h"

/* Reads the totals of all events from a profile (its lines "events:" and "totals:") into
 * values[COUNTER_COUNT]. Every counter except cycles becomes valid. On failure, the values do not
 * change. `name` stands for the profile in errors. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
