/* VPRED: PRED for v documents at once, level by level. asadi2014 section 3. */
#include "impls/plain/pred_nodes.h"

#define VPRED_KERNELS_1 pred_kernels_1
#define VPRED_BUILD_NODES pred_nodes_build
#include "impls/plain/vpred_tmpl.h"

static const char *const variants[] = {"v=8", "v=16", "v=32", NULL};

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.params = "v=16",
                   .lanes = 16,
                   .step = {.always = 20, .level = 4, .far_level = 60},
                   .document = {.level = 1}},
    [IMPL_NO_VBMI] = {.params = "v=16",
                      .lanes = 16,
                      .step = {.always = 260, .level = 1.8, .far_level = 5.5},
                      .document = {.level = 1}}};

const struct impl impl_vpred = {.name = "vpred",
                                .title = "VPRED",
                                .roles = IMPL_USUAL,
                                .variants = variants,
                                .source = "asadi2014 section 3",
                                .params = vpred_params,
                                .costs = costs,
                                .build = vpred_build,
                                PRED_FACTS};
