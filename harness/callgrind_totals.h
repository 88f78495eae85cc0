/* What callgrind writes at the end of a run, as counters. Private to counters_callgrind.c and its
 * test. */
#ifndef HARNESS_CALLGRIND_TOTALS_H
#define HARNESS_CALLGRIND_TOTALS_H

#include "base/status.h"
#include "harness/counters.h"

/* Adds up the totals of a profile ("events:" and "totals:" lines) into values[COUNTER_COUNT].
 * Everything but the cycles is counted. On failure they are untouched. `name` is for the error. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
