/* Merges the times that tune measured with the times of earlier runs, and stores the result for
 * `auto`. */
#ifndef HARNESS_TUNING_TUNE_STORE_H
#define HARNESS_TUNING_TUNE_STORE_H

#include "harness/tuning/tune_result.h"

/* Stores the sampled times. Sets result->path, others and dropped, and kept_stored of each batch.
 * If an earlier run measured a size on better documents, or on equally good documents for a longer
 * time, its times of this size are kept. They are then kept for all implementations, because times
 * from different runs cannot be compared. Sizes that only earlier runs measured are kept too. If
 * nothing can be stored, result->not_stored gives the reason. The function fails only if memory
 * runs out. */
enum status tune_store(const struct tune_request *request, struct tune_result *result,
                       struct error *error);

#endif
