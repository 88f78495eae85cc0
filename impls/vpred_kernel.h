/* What VPRED and VPRED-HEAP share: the kernels for every v, and the building of a scorer around
 * them. The file that includes this defines before
 *
 *     PRED_STEP               see impls/pred_kernel.h
 *     VPRED_KERNELS_1         the kernels for one document: a const struct pred_kernels [2]
 *     VPRED_BUILD_NODES       pred_nodes_build or pred_heap_nodes_build
 *
 * and builds with vpred_build. */
#ifndef IMPLS_VPRED_KERNEL_H
#define IMPLS_VPRED_KERNEL_H

#include "impls/pred_kernel.h"
#include "impls/vpred_option.h"

PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, vpred_kernels_4, 4)
PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, vpred_kernels_8, 8)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_16, 16)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_32, 32)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_64, 64)

/* The widest first, as pred_scorer_choose wants them. */
#define VPRED_LIST(side)                                                                           \
    {                                                                                              \
        &vpred_kernels_64[side], &vpred_kernels_32[side], &vpred_kernels_16[side],                 \
            &vpred_kernels_8[side], &vpred_kernels_4[side], &VPRED_KERNELS_1[side], NULL           \
    }
static const struct pred_kernels *const vpred_kernels[2][7] = {VPRED_LIST(false), VPRED_LIST(true)};

static enum status vpred_build(const struct impl *impl, const struct ensemble *ensemble,
                               const struct options *options, struct scorer **scorer,
                               struct error *error) {
    unsigned v;
    enum status status = vpred_read_v(impl->name, ensemble, options, &v, error);
    if (status != STATUS_OK)
        return status;
    struct pred_scorer *s;
    status = VPRED_BUILD_NODES(ensemble, &s, error);
    if (status != STATUS_OK)
        return status;
    s->scorer.impl = impl;
    pred_scorer_choose(s, vpred_kernels[ensemble->any_nan_left], v);
    *scorer = &s->scorer;
    return STATUS_OK;
}

#endif
