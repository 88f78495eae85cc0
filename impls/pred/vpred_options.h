/* The options of VPRED and VPRED-HEAP. */
#ifndef IMPLS_PRED_VPRED_OPTIONS_H
#define IMPLS_PRED_VPRED_OPTIONS_H

#include "base/status.h"
#include "impls/impl.h"

#include <stdbool.h>

enum { VPRED_STANDARD_V = 8, VPRED_UNROLLED_V = 16 };

extern const struct impl_param vpred_params[];

/* Reads `v`, the documents per step, and sets *unroll if `unroll` is `full`. STATUS_UNSUPPORTED if
 * there are no such kernels of v lanes. */
enum status vpred_read_options(const char *impl, const struct options *options, unsigned *v,
                               bool *unroll, struct error *error);

#endif
