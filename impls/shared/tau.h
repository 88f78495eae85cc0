/* The option `tau` of implementations that process trees in blocks: the number of trees per block.
 */
#ifndef IMPLS_SHARED_TAU_H
#define IMPLS_SHARED_TAU_H

#include "impls/impl.h"

enum { TAU_AUTO = 0, TAU_ALL = ENSEMBLE_MAX_TREES };

/* Sets *tau to the number of trees per block, to TAU_ALL, or to TAU_AUTO for blocks that fit the
 * caches. If the option is not given, *tau is `standard`. STATUS_INPUT if the value is invalid. */
enum status tau_read(const struct impl *impl, const struct options *options, uint32_t standard,
                     uint32_t *tau, struct error *error);

#endif
