/* Reads the profile that callgrind writes at the end of a run. */
#ifndef HARNESS_INSTRUMENTS_CALLGRIND_TOTALS_H
#define HARNESS_INSTRUMENTS_CALLGRIND_TOTALS_H

#include "base/status.h"
#include "harness/instruments/counters.h"

/* Adds up the totals of a profile ("events:" and "totals:" lines) into values[COUNTER_COUNT]. Every
 * counter except cycles becomes valid. On failure the values are unchanged. Errors refer to the
 * profile as `name`. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
