/* Bit planes with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake, AMD since Zen 4). */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };

#include "impls/planes/kernel/planes_vbmi_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_unfixed_tmpl.h"

#include "impls/planes/kernel/planes_floats_vbmi_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

const struct impl impl_planes_avx512 = {.name = "planes-avx512",
                                        .title = "Bit planes, AVX-512",
                                        .family = "planes",
                                        .params = sums_params,
                                        .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                        .costs = planes_vbmi_costs,
                                        PLANES_FACTS};
