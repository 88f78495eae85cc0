#include "impls/planes_avx512.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

extern const struct impl impl_planes_avx512;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes_avx512, ensemble, scorer, error);
}

const struct impl impl_planes_avx512 = {.name = "planes-avx512",
                                        .title = "Bit planes, AVX-512",
                                        .source = "docs/floors.md",
                                        .kind = IMPL_TRAVERSAL,
                                        .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                        .build = build,
                                        .score = planes_score,
                                        .destroy = planes_scorer_destroy};
