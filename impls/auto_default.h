/* The costs that `auto` comes with, for a model that was not tuned here: linear in the model's
 * shape, fitted to what `treebench tune` measured on some models. docs/tuning.md has them. */
#ifndef IMPLS_AUTO_DEFAULT_H
#define IMPLS_AUTO_DEFAULT_H

#include "base/status.h"
#include "impls/auto_store.h"
#include "models/ensemble.h"

/* Of the implementations that this processor can run. */
enum status auto_default_table(const struct ensemble *ensemble, struct auto_table *table,
                               struct error *error);

#endif
