/* VPRED on perfect heaps. asadi2012 section 3. */
#include "impls/plain/pred_heap_nodes.h"

#define VPRED_KERNELS_1 pred_heap_kernels_1
#define VPRED_BUILD_NODES pred_heap_nodes_build
#include "impls/plain/vpred_tmpl.h"

const struct impl impl_vpred_heap = {.name = "vpred-heap",
                                     .title = "VPRED-HEAP",
                                     .roles = IMPL_SURPASSED,
                                     .source = "asadi2012 section 3",
                                     .params = vpred_params,
                                     .build = vpred_build,
                                     PRED_FACTS};
