/* Bit planes with AVX2 (Intel since Haswell, AMD since Excavator). */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };

#include "impls/planes/kernel/planes_avx2_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_unfixed_tmpl.h"

#include "impls/planes/kernel/planes_floats_avx2_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 256,
                   .step = {.always = 50, .piece = 6, .piece_node = 1.5, .feature = 42},
                   .document = {.always = 1, .piece = 0.22, .feature = 0.6}},
    [IMPL_NO_VBMI] = {.lanes = 256,
                      .step = {.always = 370, .piece = 20.5, .piece_node = 2.37, .feature = 46},
                      .document = {.always = 12, .piece = 0.38, .feature = 0.35}}};

const struct impl impl_planes_avx2 = {.name = "planes-avx2",
                                      .title = "Bit planes, AVX2",
                                      .family = "planes",
                                      .params = sums_params,
                                      .cpu = CPU_AVX2,
                                      .costs = costs,
                                      PLANES_FACTS};
