#define PLANES_IMPL impl_planes_jit_avx2
/* A plane is two registers, and all of a line of the cache: tests come from the second level by
 * lines. A bundle's code runs once for each. */
#define PLANES_PARTS 2
#define PLANES_NODES PLANES_AVX2_CODE
#include "impls/planes_floats_avx2.h"

#include "base/cpu.h"
#include "impls/planes_jit_impl.h"

const struct impl impl_planes_jit_avx2 = {.name = "planes-jit-avx2",
                                          .title = "Bit planes, compiled, AVX2",
                                          .source = "docs/floors.md",
                                          .kind = IMPL_TRAVERSAL,
                                          .params = sums_params,
                                          .cpu = CPU_AVX2,
                                          .sets = true,
                                          .build = planes_build,
                                          .score = planes_score,
                                          .destroy = planes_scorer_destroy};
