#include "impls/shared/sums_option.h"

#include <string.h>

const struct impl_param sums_params[] = {SUMS_PARAM, {NULL, NULL, NULL, NULL}};

enum status sums_read(const char *impl, const struct options *options, bool *in_float,
                      struct error *error) {
    const char *sums = options_get(options, "sums");
    *in_float = sums && strcmp(sums, "float") == 0;
    if (!sums || *in_float || strcmp(sums, "double") == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s,sums=%s: sums must be one of: %s", impl, sums,
                     sums_params[0].values);
}
