/* What `treebench tune` measured, for `auto`: a file auto-HASH.json for each model and processor in
 * $XDG_CACHE_HOME/treebench, else in ~/.cache/treebench. docs/tuning.md has its format. */
#ifndef IMPLS_AUTO_STORE_H
#define IMPLS_AUTO_STORE_H

#include "base/status.h"
#include "impls/auto_times.h"
#include "models/ensemble.h"

#include <limits.h>
#include <stdbool.h>

/* Where the times of this model are, on this processor. Leaf values, which no time depends on, do
 * not count. STATUS_INPUT where the environment names no folder. */
enum status auto_store_path(const struct ensemble *ensemble, char path[static PATH_MAX],
                            struct error *error);

/* *found: false where nothing is stored. STATUS_INPUT, with the file's name, where something is
 * that cannot be used: damaged, of another version, model or processor. */
enum status auto_store_read(const struct ensemble *ensemble, struct auto_times *times, bool *found,
                            struct error *error);

/* Replaces what is stored for this model and processor; makes the folder. */
enum status auto_store_write(const struct ensemble *ensemble, const struct auto_times *times,
                             struct error *error);

#endif
