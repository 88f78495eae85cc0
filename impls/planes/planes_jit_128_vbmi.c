/* Compiled bit planes for small calls: planes of 128 documents, with AVX-512, VBMI and GFNI. A call
 * of up to 128 documents waits for the tests' planes, which are a quarter of planes-jit's. */
#include "base/cpu.h"

#define KERNEL_NARROW
#include "impls/planes/planes_jit_vbmi_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {
        .lanes = 128,
        .step = {.always = 150, .piece = 15, .piece_node = 0.7, .far_node = 0.9, .feature = 27},
        .document = {.always = 1, .piece = 0.097, .feature = 0.23}}};

const struct impl impl_planes_jit_128 = {.name = "planes-jit-128",
                                         .title = "Small bit planes, compiled, AVX-512",
                                         .family = "planes-jit",
                                         .params = sums_params,
                                         .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                         .costs = costs,
                                         PLANES_FACTS};
