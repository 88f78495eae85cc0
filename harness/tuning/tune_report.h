/* Reports the result of tuning as text and as JSON. */
#ifndef HARNESS_TUNING_TUNE_REPORT_H
#define HARNESS_TUNING_TUNE_REPORT_H

#include "harness/tuning/tune_result.h"

#include <cjson/cJSON.h>
#include <stdio.h>

void tune_print(FILE *stream, const struct tune_result *result);
cJSON *tune_to_json(const struct tune_result *result); /* NULL if memory runs out */

#endif
