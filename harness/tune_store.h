/* What tune measured, into the table that `auto` reads, beside what earlier runs measured. */
#ifndef HARNESS_TUNE_STORE_H
#define HARNESS_TUNE_STORE_H

#include "harness/tune.h"

/* Fits costs, stores them, and fills tuned->table, path, others, and of each batch kept_stored. A
 * size of a call that an earlier run had more seconds for stays as it was, all implementations of
 * it, since times of different runs are not to be compared; so do sizes that only earlier runs
 * measured. `seconds`: that each size had this time. */
enum status tune_store(const struct ensemble *ensemble, double seconds, struct tuned *tuned,
                       struct error *error);

#endif
