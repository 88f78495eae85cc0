#include "impls/shared/sums_option.h"

const struct impl_param sums_params[] = {SUMS_PARAM, {NULL, NULL, NULL, NULL}};
