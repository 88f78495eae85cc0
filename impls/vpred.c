/* VPRED: PRED for v documents at once, level by level. asadi2014 section 3. */
#include "impls/pred_nodes.h"
#include "impls/vpred_option.h"

#define PRED_STEP pred_node_step
#include "impls/pred_kernel.h"

extern const struct impl impl_vpred;

PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, kernels_4, 4)
PRED_KERNELS_BY_DEPTH_OR_BLOCK(static, kernels_8, 8)
PRED_KERNELS_BY_LEVEL(static, kernels_16, 16)
PRED_KERNELS_BY_LEVEL(static, kernels_32, 32)
PRED_KERNELS_BY_LEVEL(static, kernels_64, 64)

#define LIST(side)                                                                                 \
    {                                                                                              \
        &kernels_64[side], &kernels_32[side], &kernels_16[side], &kernels_8[side],                 \
            &kernels_4[side], &pred_kernels_1[side], NULL                                          \
    }
static const struct pred_kernels *const kernels[2][7] = {LIST(false), LIST(true)};

static enum status vpred_build(const struct ensemble *ensemble, const struct options *options,
                               struct scorer **scorer, struct error *error) {
    unsigned v;
    enum status status = vpred_read_v(ensemble, options, &v, error);
    if (status != STATUS_OK)
        return status;
    struct pred_scorer *s;
    status = pred_nodes_build(ensemble, &s, error);
    if (status != STATUS_OK)
        return status;
    s->scorer.impl = &impl_vpred;
    pred_scorer_choose(s, kernels[ensemble->any_nan_left], v);
    *scorer = &s->scorer;
    return STATUS_OK;
}

const struct impl impl_vpred = {.name = "vpred",
                                .title = "VPRED",
                                .source = "asadi2014 section 3",
                                .kind = IMPL_TRAVERSAL,
                                .params = vpred_params,
                                .build = vpred_build,
                                .score = pred_score,
                                .destroy = pred_destroy};
