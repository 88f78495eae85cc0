/* Bit planes compiled to machine code, with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake,
 * AMD since Zen 4). */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };
#define KERNEL_BYTE_VALUES
#define PLANES_FIXED true
#define PLANES_COMPILER &planes_jit_evex

#include "impls/planes/kernel/planes_vbmi_tmpl.h"

#include "impls/planes/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_fixed_vbmi_tmpl.h"

#include "impls/planes/kernel/planes_floats_vbmi_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

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
