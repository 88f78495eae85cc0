/* Names for what threads divide among themselves: "documents", "trees" or "both". */
#ifndef HARNESS_MEASURE_PARALLEL_H
#define HARNESS_MEASURE_PARALLEL_H

#include "impls/scorer.h"

#include <stdbool.h>

const char *parallel_name(enum parallel parallel);

/* Returns false if the name is unknown. */
bool parallel_find(const char *name, enum parallel *parallel);

#endif
