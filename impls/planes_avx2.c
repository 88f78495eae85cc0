#define PLANES_IMPL impl_planes_avx2
#include "impls/planes_floats_avx2.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

const struct impl impl_planes_avx2 = {.name = "planes-avx2",
                                      .title = "Bit planes, AVX2",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .params = sums_params,
                                      .cpu = CPU_AVX2,
                                      .sets = true,
                                      .build = planes_build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
