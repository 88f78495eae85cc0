/* PRED on a perfect heap: nodes need no child indices, and short paths are padded with dummy nodes.
 * asadi2012 section 3. */
#include "impls/plain/pred_heap_nodes.h"
#include "impls/plain/pred_tmpl.h"

PRED_KERNELS_BY_DEPTH(, pred_heap_kernels_1, 1)

static const struct pred_kernels *const kernels[2][2] = {{&pred_heap_kernels_1[0], NULL},
                                                         {&pred_heap_kernels_1[1], NULL}};

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    (void)options;
    return pred_build(impl, pred_heap_nodes_build, ensemble, kernels[ensemble->any_nan_left], 1,
                      scorer, error);
}

const struct impl impl_pred_heap = {.name = "pred-heap",
                                    .title = "PRED-HEAP",
                                    .roles = IMPL_SURPASSED,
                                    .source = "asadi2012 section 3",
                                    .build = build,
                                    PRED_FACTS};
