/* Finds the fastest candidate for each size of call. First screens all candidates with up to three
 * rounds per size. Then samples the best of them, and `auto` without stored times. With one thread,
 * stores the sampled times. Finally measures `auto`, which now uses the stored times, against the
 * best candidate and the libraries. */
#ifndef HARNESS_TUNING_TUNE_H
#define HARNESS_TUNING_TUNE_H

#include "harness/tuning/tune_result.h"

/* Tunes. The caller frees *result with tune_result_free, even after an error. */
enum status tune(const struct tune_request *request, struct tune_result **result,
                 struct error *error);

#endif
