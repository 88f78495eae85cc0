/* What tuning found, for people and for programs. */
#ifndef HARNESS_TUNE_REPORT_H
#define HARNESS_TUNE_REPORT_H

#include "harness/tune.h"

#include <cjson/cJSON.h>

void tune_print(const struct tuned *tuned);
cJSON *tune_to_json(const struct tuned *tuned); /* NULL: no memory */

#endif
