/* Chooses the sizes of blocks that a loop order leaves out, without measuring. */
#ifndef HARNESS_CACHES_CHOICE_H
#define HARNESS_CACHES_CHOICE_H

#include "datasets/matrix.h"
#include "impls/variant.h"

/* Sets the plan's order and blocks, as order_plan does. A range case gets the blocks that just fit
 * its caches. Otherwise, a size that is not given is the one of the least predicted cost
 * (predict.h). The caches have the sizes that the system reports, divided among plan->threads. A
 * call has plan->call documents (0: all). `documents` may be NULL if they are not known yet. Reads
 * about 30 files of /sys if a size is chosen. */
enum status order_choice_plan(const struct order_choice *choice, const struct scorer *scorer,
                              const struct matrix *documents, struct plan *plan,
                              struct error *error);

#endif
