/* The option `sums` of implementations that can add values in float32: sums=double (the default) or
 * sums=float. With sums=float, values are rounded to float32. The values of 64 consecutive trees
 * (PLANES_FLOAT_TREES) are added in float32, and their sum is added to a double. Exit leaves are
 * the same as the reference's. Scores differ only by the rounding that harness/measure/verify.c
 * allows. */
#ifndef IMPLS_SHARED_SUMS_OPTION_H
#define IMPLS_SHARED_SUMS_OPTION_H

#include "impls/impl.h"

#define SUMS_WORDS "double float" /* for options_choice: 0 and 1 */
#define SUMS_PARAM                                                                                 \
    {                                                                                              \
        "sums", "float: add the values of 64 trees at a time in float32, rounded", SUMS_WORDS,     \
            "double"                                                                               \
    }
extern const struct impl_param sums_params[]; /* for implementations whose only option is `sums` */

#endif
