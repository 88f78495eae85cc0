/* Counts the instructions of a pass exactly, with every instruction set and without hardware
 * counters: `treebench pass` runs one instruction at a time (step.h). */
#ifndef HARNESS_COUNTING_COUNT_STEP_H
#define HARNESS_COUNTING_COUNT_STEP_H

#include "harness/counting/counted_pass.h"

/* Limit of documents times trees, so that most variants take only seconds. */
#define COUNT_STEP_PAIRS ((size_t)1 << 13)

/* Prepares a pass for count_step. Never fails (counted_pass.h). */
void count_step_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                      const struct matrix *documents);

/* Counts the instructions of one pass of a variant ("vpred,v=8") over the documents, with one
 * thread. Calls are those of counted_command_make. `scorer` must have been built from
 * this variant. */
void count_step(const struct counted_pass *pass, const char *variant, const struct scorer *scorer,
                const struct plan *plan, struct counts *counts);

#endif
