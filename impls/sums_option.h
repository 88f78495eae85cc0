/* The parameter of implementations that can add values in float32 as well: sums=double, the
 * standard, or sums=float. Then the values of PLANES_FLOAT_TREES trees at a time are rounded and
 * added in float32, and their sum to a double: exit leaves are the reference's, and scores within
 * the rounding that harness/verify.c allows. */
#ifndef IMPLS_SUMS_OPTION_H
#define IMPLS_SUMS_OPTION_H

#include "impls/impl.h"

#include <stdbool.h>

#define SUMS_PARAM                                                                                 \
    {                                                                                              \
        "sums", "float: values are added in float32, 64 trees at a time, and rounded",             \
            "double float", "double"                                                               \
    }
extern const struct impl_param sums_params[]; /* that one alone */

enum status sums_read(const char *impl, const struct options *options, bool *in_float,
                      struct error *error);

#endif
