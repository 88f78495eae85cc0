/* The values of trees in fixed point, for models whose sums are exact in double: then every way to
 * add gives the same bits. */
#ifndef IMPLS_PLANES_PLANES_DIGITS_H
#define IMPLS_PLANES_PLANES_DIGITS_H

#include "base/status.h"
#include "impls/planes/planes_model.h"
#include "models/ensemble.h"

/* Gives the model's bundles digits if sums of `ensemble`, of whose trees the model consists, are
 * exact. Otherwise nothing changes. STATUS_MEMORY if memory ran out. */
enum status planes_digits_make(const struct ensemble *ensemble, struct planes_model *model,
                               struct error *error);

#endif
