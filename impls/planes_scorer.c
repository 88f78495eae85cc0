#include "impls/planes_scorer.h"

#include <stdlib.h>

enum status planes_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct planes_shape *shape, size_t fixed_bytes,
                                struct scorer **scorer, struct error *error) {
    struct planes_scorer *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a scorer");
    enum status status = planes_model_build(ensemble, shape, &made->model, error);
    if (status) {
        free(made);
        return status;
    }
    made->scorer =
        (struct scorer){.impl = impl,
                        .n_units = (made->model.n_bundles + PLANES_UNIT - 1) / PLANES_UNIT,
                        .lanes = shape->plane_bytes * 8,
                        .n_features = ensemble->n_features,
                        .n_outputs = ensemble->n_outputs,
                        .bytes = made->model.bytes,
                        /* Nodes that only pad name the first test: there is one always. */
                        .workspace = fixed_bytes + (made->model.n_tests + 1) * shape->plane_bytes};
    *scorer = &made->scorer;
    return STATUS_OK;
}

void planes_scorer_destroy(struct scorer *scorer) {
    planes_model_free(&((struct planes_scorer *)scorer)->model);
    free(scorer);
}
