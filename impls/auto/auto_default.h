/* The default costs of `auto`, for calls that were not measured on this machine. Each descriptor
 * declares its own (struct impl_cost). They are linear in properties of the model's shape, such as
 * the number of nodes. They were fitted to measurements of `treebench tune` on some models
 * (docs/tuning.md). */
#ifndef IMPLS_AUTO_AUTO_DEFAULT_H
#define IMPLS_AUTO_AUTO_DEFAULT_H

#include "base/status.h"
#include "impls/auto/auto_cost.h"
#include "impls/auto/auto_times.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stddef.h>

/* Implementations to choose from, with their costs. */
struct auto_table {
    size_t count;
    char specs[AUTO_COSTS_MAX][AUTO_SPEC_SIZE]; /* "vpred,v=16" */
    struct auto_cost costs[AUTO_COSTS_MAX];
};

/* Fills the table with the implementations that this processor can run, and with their costs for
 * the ensemble. */
enum status auto_default_table(const struct ensemble *ensemble, struct auto_table *table,
                               struct error *error);

/* Computes the cost of an implementation, whatever this processor is. The ensemble does not vote.
 */
enum status auto_default_cost(const struct ensemble *ensemble, const struct impl_cost *rates,
                              struct auto_cost *cost, struct error *error);

#endif
