/* Bit planes compiled to machine code, with AVX2 (Intel since Haswell, AMD since Excavator). A
 * plane has two registers, so that it fills a cache line: tests come from the second-level cache
 * one line at a time. The code of a bundle runs once for each register of a plane. */
#include "base/cpu.h"

enum { KERNEL_PARTS = 2 };
#define PLANES_COMPILER &planes_jit_vex

#include "impls/planes/kernel/planes_avx2_tmpl.h"

#include "impls/planes/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_unfixed_tmpl.h"

#include "impls/planes/kernel/planes_floats_avx2_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_NO_VBMI] = {
        .lanes = 512,
        .step = {.always = 2250, .piece = 70, .piece_node = 1.1, .feature = 100},
        .document = {.always = 12, .piece = 0.4, .piece_node = 0.0018, .feature = 0.29}}};

const struct impl impl_planes_jit_avx2 = {.name = "planes-jit-avx2",
                                          .title = "Bit planes, compiled, AVX2",
                                          .family = "planes-jit",
                                          .params = sums_params,
                                          .cpu = CPU_AVX2,
                                          .costs = costs,
                                          PLANES_FACTS};
