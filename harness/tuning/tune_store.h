/* Merges the times that tune measured with the times of earlier runs, and stores them for
 * `auto`. */
#ifndef HARNESS_TUNING_TUNE_STORE_H
#define HARNESS_TUNING_TUNE_STORE_H

#include "harness/tuning/tune_result.h"

/* Stores the sampled times. Fills result->path, others and dropped, and kept_stored of each batch.
 * The stored times of a size are kept if they were measured on better documents, or on equally good
 * documents for more seconds. All implementations then keep their stored times, because times of
 * different runs cannot be compared. Sizes that only earlier runs measured are kept too. If nothing
 * can be stored, result->not_stored gives the reason. Only a lack of memory is an error. */
enum status tune_store(const struct tune_request *request, struct tune_result *result,
                       struct error *error);

#endif
