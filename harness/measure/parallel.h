/* Names for what threads share: "documents", "trees" or "both". */
#ifndef HARNESS_MEASURE_PARALLEL_H
#define HARNESS_MEASURE_PARALLEL_H

#include "impls/scorer.h"

#include <stdbool.h>

/* indexed by enum parallel; the last entry is NULL */
extern const char *const parallel_names[];

/* Finds what the name stands for. Returns false if the name is unknown. */
bool parallel_find(const char *name, enum parallel *parallel);

#endif
