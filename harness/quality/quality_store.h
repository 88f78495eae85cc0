/* A run's quality.jsonl, which has one line per trained model. */
#ifndef HARNESS_QUALITY_QUALITY_STORE_H
#define HARNESS_QUALITY_QUALITY_STORE_H

#include "harness/quality/quality.h"
#include "harness/rows/lines.h"

extern const struct json_lines quality_lines; /* items are struct quality */

/* Returns the quality of the workload's model, or NULL if it is not in the list. */
const struct quality *quality_find(const struct json_list *qualities,
                                   const struct workload *workload);

#endif
