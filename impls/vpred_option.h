/* The option v of VPRED and VPRED-HEAP. */
#ifndef IMPLS_VPRED_OPTION_H
#define IMPLS_VPRED_OPTION_H

#include "impls/impl.h"

#include <stdbool.h>

extern const struct impl_param vpred_params[];

/* Is there a kernel of so many lanes: 1, 4, 8, 16, 32 or 64? */
bool vpred_has_lanes(unsigned v);

/* The v that the options ask for, or the one that suits this machine and the ensemble. */
enum status vpred_read_v(const char *impl, const struct ensemble *ensemble,
                         const struct options *options, unsigned *v, struct error *error);

#endif
