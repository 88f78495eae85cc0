/* Counting a pass by callgrind: a simulated processor instead of hardware counters. */
#ifndef HARNESS_COUNTING_COUNT_CALLGRIND_H
#define HARNESS_COUNTING_COUNT_CALLGRIND_H

#include "base/status.h"
#include "harness/counting/counted_pass.h"
#include "harness/counting/simulated_caches.h"
#include "harness/instruments/counters.h"

/* Counts events without hardware counters. valgrind's callgrind runs `treebench pass` and simulates
 * the processor. The same program gives the same counts in every run, on any machine.
 * docs/measuring.md explains the counts. */

/* Limit of documents times trees, so that the simulated pass takes only seconds. Each variant needs
 * two passes, and callgrind runs only 20 to 60 million instructions per second. */
#define CALLGRIND_PAIRS ((size_t)1 << 19)

/* Prepares a pass for callgrind_count. Never fails (counted_pass.h). */
void callgrind_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                     const struct matrix *documents);

/* Counts the events of one pass of a variant ("vpred,v=8") over the documents, with one thread. If
 * plan->team, this thread runs the code of several threads. Calls are those of
 * counted_command_make. `scorer` must have been built from this variant. */
void callgrind_count(const struct counted_pass *pass, const char *variant,
                     const struct scorer *scorer, const struct plan *plan,
                     const struct simulated_caches *caches, struct counts *counts);

/* Reads the profile that callgrind writes at the end of a run. */

/* Reads the totals of all events from a profile (its lines "events:" and "totals:") into
 * values[COUNTER_COUNT]. Every counter except cycles becomes valid. On failure, the values do not
 * change. `name` stands for the profile in errors. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
