/* All candidates are screened with up to three rounds at each size of a call. The best candidates
 * and the untuned `auto` are then sampled. Their times are stored unless there are several threads.
 * Finally `auto`, which reads the stored times, is measured against the best candidate and the
 * libraries. */
#ifndef HARNESS_TUNING_TUNE_H
#define HARNESS_TUNING_TUNE_H

#include "harness/tuning/tune_result.h"

/* The caller frees *result by tune_result_free, also after an error. */
enum status tune(const struct tune_request *request, struct tune_result **result,
                 struct error *error);

#endif
