/* The code that VPRED and VPRED-HEAP share: the kernels for every v, and vpred_build.
 *
 * The includer defines:
 *
 *   pred_step         pred_tmpl.h
 *   VPRED_KERNELS_1   the array of kernels for one document; a macro, because a static table takes
 *                     the addresses of the elements
 *   VPRED_BUILD_NODES a pred_nodes_builder
 */
#ifndef IMPLS_PLAIN_VPRED_TMPL_H
#define IMPLS_PLAIN_VPRED_TMPL_H

#include "impls/plain/pred_tmpl.h"

PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, vpred_kernels_4, 4)
PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, vpred_kernels_8, 8)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_16, 16)
PRED_KERNELS_UNROLLED(static, vpred_kernels_16_unrolled, 16)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_32, 32)
PRED_KERNELS_BY_LEVEL(static, vpred_kernels_64, 64)

/* From most lanes to fewest, as pred_scorer_choose requires. */
#define VPRED_LIST(side)                                                                           \
    {                                                                                              \
        &vpred_kernels_64[side], &vpred_kernels_32[side], &vpred_kernels_16[side],                 \
            &vpred_kernels_8[side], &vpred_kernels_4[side], &VPRED_KERNELS_1[side], NULL           \
    }
static const struct pred_kernels *const vpred_kernels[2][7] = {VPRED_LIST(false), VPRED_LIST(true)};

/* The list for unroll=full. It begins with VPRED_UNROLLED_V lanes. */
#define VPRED_UNROLLED_LIST(side)                                                                  \
    {                                                                                              \
        &vpred_kernels_16_unrolled[side], &vpred_kernels_8[side], &vpred_kernels_4[side],          \
            &VPRED_KERNELS_1[side], NULL                                                           \
    }
static const struct pred_kernels *const vpred_unrolled_kernels[2][5] = {VPRED_UNROLLED_LIST(false),
                                                                        VPRED_UNROLLED_LIST(true)};

static enum status vpred_build(const struct impl *impl, const struct ensemble *ensemble,
                               const struct options *options, struct scorer **scorer,
                               struct error *error) {
    unsigned v;
    bool unroll;
    enum status status = vpred_read_options(impl->name, options, &v, &unroll, error);
    if (status)
        return status;
    bool nan_left = ensemble->any_nan_left;
    return pred_build(impl, VPRED_BUILD_NODES, ensemble,
                      unroll ? vpred_unrolled_kernels[nan_left] : vpred_kernels[nan_left], v,
                      scorer, error);
}

#endif
