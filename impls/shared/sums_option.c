#include "impls/shared/sums_option.h"

const struct impl_param sums_params[] = {SUMS_PARAM, {NULL, NULL, NULL, NULL}};

enum status sums_read(const char *impl, const struct options *options, bool *in_float,
                      struct error *error) {
    unsigned choice;
    enum status status = options_choice(options, impl, "sums", "double float", &choice, error);
    *in_float = choice == 1;
    return status;
}
