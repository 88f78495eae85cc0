#define PLANES_IMPL impl_planes_avx512
#include "impls/planes_floats_avx512.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

const struct impl impl_planes_avx512 = {.name = "planes-avx512",
                                        .title = "Bit planes, AVX-512",
                                        .source = "docs/floors.md",
                                        .kind = IMPL_TRAVERSAL,
                                        .params = sums_params,
                                        .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                        .sets = true,
                                        .build = planes_build,
                                        .score = planes_score,
                                        .destroy = planes_scorer_destroy};
