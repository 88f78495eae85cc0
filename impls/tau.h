/* The option tau of implementations that walk over blocks of trees. */
#ifndef IMPLS_TAU_H
#define IMPLS_TAU_H

#include "impls/impl.h"

enum { TAU_AUTO = 0, TAU_ALL = ENSEMBLE_MAX_TREES };

/* The trees of a block: a number, TAU_ALL, or TAU_AUTO for what suits the caches. `standard` where
 * it is not given, and where it is none of these. */
enum status tau_read(const struct impl *impl, const struct options *options, uint32_t standard,
                     uint32_t *tau, struct error *error);

#endif
