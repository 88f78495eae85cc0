/* PRED: scores one document at a time, without branches on comparisons. asadi2014 section 3. */
#include "impls/plain/pred_nodes.h"
#include "impls/plain/pred_tmpl.h"

PRED_KERNELS_BY_DEPTH(, pred_kernels_1, 1)

static const struct pred_kernels *const kernels[2][2] = {{&pred_kernels_1[0], NULL},
                                                         {&pred_kernels_1[1], NULL}};

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    (void)options;
    return pred_build(impl, pred_nodes_build, ensemble, kernels[ensemble->any_nan_left], 1, scorer,
                      error);
}

const struct impl impl_pred = {
    .name = "pred", .title = "PRED", .source = "asadi2014 section 3", .build = build, PRED_FACTS};
