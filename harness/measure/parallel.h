/* Names for what threads divide among themselves: "documents", "trees" or "both". */
#ifndef HARNESS_MEASURE_PARALLEL_H
#define HARNESS_MEASURE_PARALLEL_H

#include "impls/scorer.h"

#include <stdbool.h>

/* In the order of enum parallel. The last entry is NULL. */
extern const char *const parallel_names[];

/* Returns false if the name is unknown. */
bool parallel_find(const char *name, enum parallel *parallel);

#endif
