#define PLANES_IMPL impl_planes_jit
#define PLANES_NODES PLANES_AVX512_CODE
#include "impls/planes_floats_avx512.h"

#include "base/cpu.h"
#include "impls/planes_jit_impl.h"

const struct impl impl_planes_jit = {.name = "planes-jit",
                                     .title = "Bit planes, compiled, AVX-512",
                                     .source = "docs/floors.md",
                                     .kind = IMPL_TRAVERSAL,
                                     .params = sums_params,
                                     .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                     .sets = true,
                                     .build = planes_build,
                                     .score = planes_score,
                                     .destroy = planes_scorer_destroy};
