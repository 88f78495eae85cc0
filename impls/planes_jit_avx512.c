#define PLANES_NODES PLANES_AVX512_CODE
#include "impls/planes_avx512.h"

#include "base/cpu.h"
#include "impls/planes_jit_impl.h"

extern const struct impl impl_planes_jit;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes_jit, ensemble, scorer, error);
}

const struct impl impl_planes_jit = {.name = "planes-jit",
                                     .title = "Bit planes, compiled, AVX-512",
                                     .source = "docs/floors.md",
                                     .kind = IMPL_TRAVERSAL,
                                     .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                     .build = build,
                                     .score = planes_score,
                                     .destroy = planes_scorer_destroy};
