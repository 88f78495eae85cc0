/* A part of the documents meets a part of the units, in a plan's order and blocks. Private to
 * impls/: what scorer_run and a runner's threads have in common. */
#ifndef IMPLS_ORDER_H
#define IMPLS_ORDER_H

#include "impls/impl.h"

void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch);

#endif
