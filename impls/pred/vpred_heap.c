/* VPRED on perfect heaps. asadi2012 section 3. */
#include "impls/pred/pred_heap_nodes.h"

#define VPRED_KERNELS_1 pred_heap_kernels_1
#include "impls/pred/vpred_tmpl.h"

extern const struct impl impl_vpred_heap;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    return vpred_build(&impl_vpred_heap, pred_heap_nodes_build, ensemble, options, scorer, error);
}

const struct impl impl_vpred_heap = {.name = "vpred-heap",
                                     .title = "VPRED-HEAP",
                                     .roles = IMPL_SURPASSED,
                                     .source = "asadi2012 section 3",
                                     .params = vpred_params,
                                     .build = build,
                                     PRED_FACTS};
