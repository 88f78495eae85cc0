#include "impls/shared/tau.h"

#include <string.h>

enum status tau_read(const struct impl *impl, const struct options *options, uint32_t standard,
                     uint32_t *tau, struct error *error) {
    const char *text = options_get(options, "tau");
    long number;
    *tau = standard;
    if (!text)
        return STATUS_OK;
    if (strcmp(text, "all") == 0)
        *tau = TAU_ALL;
    else if (strcmp(text, "auto") == 0)
        *tau = TAU_AUTO;
    else if (options_integer(options, "tau", 1, ENSEMBLE_MAX_TREES, 1, &number, NULL) == STATUS_OK)
        *tau = (uint32_t)number;
    else
        return error_set(error, STATUS_INPUT,
                         "%s,tau=%s: tau must be a positive integer, all or auto", impl->name,
                         text);
    return STATUS_OK;
}
