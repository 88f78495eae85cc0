/* What an implementation by bit planes is made of besides its primitives, which are included
 * before (see planes_kernel.h), as is PLANES_IMPL, its `struct impl`: planes_build and
 * planes_score. */
#ifndef PLANES_NODES
#define PLANES_NODES PLANES_DATA
#endif
#if !defined PLANES_SEARCH && PLANES_FAN_BITS == 3
#error "levels of nodes with 8 children are tables, which planes_child does not know"
#endif
#include "impls/planes_kernel.h"
#include "impls/planes_scorer.h"
#include "impls/sums_option.h"

static void planes_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct planes_scorer *planes = (const struct planes_scorer *)scorer;
    const struct planes_model *model = &planes->model;
    size_t begin = units.begin * PLANES_UNIT, end = units.end * PLANES_UNIT;
    end = end < model->n_bundles ? end : model->n_bundles;
    const struct planes_view view = {.n_columns = scorer->n_features,
                                     .n_outputs = scorer->n_outputs,
                                     .features = model->features,
                                     .n_features = model->n_features,
                                     .bundles = model->bundles + begin,
                                     .n_bundles = end - begin,
                                     .n_blocks = planes->n_blocks,
                                     .block_bytes = planes->block_bytes,
                                     .xors = model->xors.runs,
                                     .n_xors = model->xors.n_runs};
    planes_run(&view, batch->x + docs.begin * batch->stride, batch->stride, docs.end - docs.begin,
               batch->scores + docs.begin * scorer->n_outputs, batch->workspace);
}

_Static_assert(sizeof(struct work) <= (size_t)PLANES_WORK * PLANE_BYTES, "PLANES_WORK");
_Static_assert(sizeof(struct work) % PLANE_BYTES == 0, "tests begin behind it, in whole lines");

extern const struct impl PLANES_IMPL;

static enum status planes_build(const struct ensemble *ensemble, const struct options *options,
                                struct scorer **scorer, struct error *error) {
#ifdef PLANES_FLOAT_CODES
    enum { FLOAT_CODES = PLANES_FLOAT_CODES };
#else
    enum { FLOAT_CODES = 0 }; /* has no option `sums` */
#endif
    bool in_float;
    enum status status = sums_read(PLANES_IMPL.name, options, &in_float, error);
    if (status)
        return status;
    const struct planes_shape shape = {.impl = PLANES_IMPL.name,
                                       .fan_bits = PLANES_FAN_BITS,
                                       .plane_bytes = PLANE_BYTES,
                                       .nodes = PLANES_NODES,
                                       .float_codes = in_float ? FLOAT_CODES : 0};
    return planes_scorer_build(&PLANES_IMPL, ensemble, &shape, sizeof(struct work), scorer, error);
}
