/* The option `sums` of implementations that can add values in float32. With sums=double, the
 * default, sums are doubles. The others round values to float32, and reach the same exit leaves.
 * Their scores differ only by the rounding that harness/measure/verify.c allows.
 *
 * With sums=float, the values of 64 consecutive trees (PLANES_FLOAT_TREES) are added in float32,
 * and their sum is added to a double. With sums=chain, a score begins as a float32, and each tree's
 * value is added to it in float32, in the order of the trees. XGBoost computes the same bits. */
#ifndef IMPLS_SHARED_SUMS_OPTION_H
#define IMPLS_SHARED_SUMS_OPTION_H

#include "impls/impl.h"

enum { SUMS_DOUBLE, SUMS_FLOAT, SUMS_CHAIN };
#define SUMS_WORDS "double float chain" /* for options_choice */
#define SUMS_PARAM                                                                                 \
    {                                                                                              \
        "sums",                                                                                    \
            "float: add the values of 64 trees at a time in float32, rounded; chain: all values "  \
            "in float32, tree after tree, as XGBoost",                                             \
            SUMS_WORDS, "double"                                                                   \
    }
extern const struct impl_param sums_params[]; /* for implementations whose only option is `sums` */

#endif
