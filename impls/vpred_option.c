#include "impls/vpred_option.h"

#include "impls/vpred_choice.h"

const struct impl_param vpred_params[] = {
    {"v", "documents per step", "1 4 8 16 32 64", "what `treebench sweep` found here, else 8"},
    {NULL, NULL, NULL, NULL}};

bool vpred_has_lanes(unsigned v) {
    return v == 1 || v == 4 || v == 8 || v == 16 || v == 32 || v == 64;
}

/* The mean depth of the trees, rounded up. */
static uint32_t typical_depth(const struct ensemble *ensemble) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        sum += ensemble->tree_depth[t];
    uint64_t trees = ensemble->n_trees ? ensemble->n_trees : 1;
    return (uint32_t)((sum + trees - 1) / trees);
}

enum status vpred_read_v(const char *impl, const struct ensemble *ensemble,
                         const struct options *options, unsigned *v, struct error *error) {
    const char *text = options_get(options, "v");
    if (!text)
        return vpred_standard_v(ensemble->n_features, typical_depth(ensemble), v, error);
    long value = 0;
    if (options_integer(options, "v", 1, 64, 0, &value, NULL) != STATUS_OK ||
        !vpred_has_lanes((unsigned)value))
        return error_set(error, STATUS_INPUT, "%s,v=%s: v is one of %s", impl, text,
                         vpred_params[0].values);
    *v = (unsigned)value;
    return STATUS_OK;
}
