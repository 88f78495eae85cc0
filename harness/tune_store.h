/* What tune measured, into the times that `auto` reads, beside what earlier runs measured. */
#ifndef HARNESS_TUNE_STORE_H
#define HARNESS_TUNE_STORE_H

#include "harness/tune.h"

/* Stores what was sampled, and fills tuned->path, others, and kept_stored of each batch. A size
 * whose stored times are of better documents, or of as good ones and more seconds, stays as it
 * was: all implementations of it, since times of different runs are not to be compared. So do
 * sizes that only earlier runs measured. tuned->not_stored says why nothing could be stored; only
 * a lack of memory is an error. */
enum status tune_store(const struct tuning *tuning, struct tuned *tuned, struct error *error);

#endif
