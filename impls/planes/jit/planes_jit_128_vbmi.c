/* Compiled bit planes for small calls: planes of 128 documents, with AVX-512, VBMI and GFNI. A call
 * of up to 128 documents waits for the tests' planes, which are a quarter of planes-jit's. */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };
#define KERNEL_NARROW
#define KERNEL_BYTE_VALUES
#define PLANES_COMPILER &planes_jit_evex

#include "impls/planes/kernel/planes_vbmi_tmpl.h"

#include "impls/planes/jit/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_floats_vbmi_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

const struct impl impl_planes_jit_128 = {.name = "planes-jit-128",
                                         .title = "Bit planes of 128 documents, compiled, AVX-512",
                                         .family = "planes-jit",
                                         .params = sums_params,
                                         .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                         PLANES_FACTS};
