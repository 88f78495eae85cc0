/* Compiled bit planes of 512 documents, with AVX-512, VBMI and GFNI. */
#include "base/cpu.h"
#include "impls/planes/planes_jit_vbmi_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {
        .lanes = 512,
        .step = {.always = 150, .piece = 22, .piece_node = 1, .far_node = 1.3, .feature = 35},
        .document = {.always = 1, .piece = 0.097, .feature = 0.23}}};

const struct impl impl_planes_jit = {.name = "planes-jit",
                                     .title = "Bit planes, compiled, AVX-512",
                                     .params = sums_params,
                                     .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                     .costs = costs,
                                     PLANES_FACTS};
