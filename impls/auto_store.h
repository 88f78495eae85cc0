/* What `treebench tune` measured, for `auto`: a file auto-HASH.json for each model and processor in
 * $XDG_CACHE_HOME/treebench, else in ~/.cache/treebench. docs/tuning.md has its format. */
#ifndef IMPLS_AUTO_STORE_H
#define IMPLS_AUTO_STORE_H

#include "base/status.h"
#include "impls/auto_cost.h"
#include "models/ensemble.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { AUTO_SPEC_SIZE = 64 };

/* Implementations to choose from, with what calls of them cost on this model and machine. */
struct auto_table {
    size_t count;
    char specs[AUTO_COSTS_MAX][AUTO_SPEC_SIZE]; /* "vpred,v=16" */
    struct auto_cost costs[AUTO_COSTS_MAX];
};

/* False where the table is full or the name too long. */
bool auto_table_add(struct auto_table *table, const char *spec, const struct auto_cost *cost);

/* Where the table of this model is, on this processor. Leaf values, which no time depends on, do
 * not count. STATUS_INPUT where the environment names no folder. */
enum status auto_store_path(const struct ensemble *ensemble, char path[static PATH_MAX],
                            struct error *error);

/* *found: false where nothing is stored. STATUS_INPUT, with the file's name, where something is
 * that cannot be used: damaged, of another version, model or processor. */
enum status auto_store_read(const struct ensemble *ensemble, struct auto_table *table, bool *found,
                            struct error *error);

/* Replaces what is stored for this model and processor; makes the folder. */
enum status auto_store_write(const struct ensemble *ensemble, const struct auto_table *table,
                             struct error *error);

#endif
