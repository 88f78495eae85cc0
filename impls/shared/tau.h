/* The option `tau`, the number of trees per block, of implementations that process blocks of trees.
 */
#ifndef IMPLS_SHARED_TAU_H
#define IMPLS_SHARED_TAU_H

#include "impls/impl.h"

enum { TAU_AUTO = 0, TAU_ALL = ENSEMBLE_MAX_TREES };

/* Reads the number of trees per block: a number, TAU_ALL, or TAU_AUTO for blocks that fit the
 * caches. *tau is `standard` if the option is not given. STATUS_INPUT if its value is invalid. */
enum status tau_read(const struct impl *impl, const struct options *options, uint32_t standard,
                     uint32_t *tau, struct error *error);

#endif
