/* Stores the times that `treebench tune` measures, for `auto`. Each model and processor has a file
 * auto-HASH.json in $XDG_CACHE_HOME/treebench, or in ~/.cache/treebench if that variable is not
 * set. docs/tuning.md describes its format. */
#ifndef IMPLS_AUTO_AUTO_STORE_H
#define IMPLS_AUTO_AUTO_STORE_H

#include "base/status.h"
#include "impls/auto/auto_times.h"
#include "models/ensemble.h"

#include <limits.h>
#include <stdbool.h>

/* Writes the path of the file for this model on this processor. Models that differ only in leaf
 * values share a file. STATUS_INPUT if the environment names no folder. */
enum status auto_store_path(const struct ensemble *ensemble, char path[static PATH_MAX],
                            struct error *error);

/* Reads the file. *found is false if there is no file. STATUS_INPUT, with the file's name, if the
 * file is damaged, has another format version, or belongs to another model or processor. */
enum status auto_store_read(const struct ensemble *ensemble, struct auto_times *times, bool *found,
                            struct error *error);

/* Replaces the file for this model and processor. Creates the folder if it is missing. */
enum status auto_store_write(const struct ensemble *ensemble, const struct auto_times *times,
                             struct error *error);

#endif
