#include "impls/impl.h"

struct scorer scorer_of(const struct impl *impl, const struct ensemble *ensemble, size_t n_units,
                        unsigned lanes) {
    return (struct scorer){.impl = impl,
                           .n_units = n_units,
                           .lanes = lanes,
                           .n_features = ensemble->n_features,
                           .n_outputs = ensemble->n_outputs,
                           .votes = ensemble->votes};
}
