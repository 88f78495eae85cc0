/* Counts the instructions of two builds of libtreebench exactly, by single steps. */
#ifndef HARNESS_REGRESS_INSTRUCTIONS_H
#define HARNESS_REGRESS_INSTRUCTIONS_H

#include "harness/regress/pairs.h"

#include <stdint.h>

/* Counts a call of at most DUET_COUNTED_MOST documents (duet.h) in each library. Errors as of
 * step_count (counting/step.h). */
enum status count_libraries(const char *const libraries[PAIR_SIDES],
                            const struct regress_workload *workload, const char *impl,
                            uint64_t instructions[PAIR_SIDES], struct error *error);

#endif
