#include "impls/planes_avx2.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

extern const struct impl impl_planes_avx2;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes_avx2, ensemble, scorer, error);
}

const struct impl impl_planes_avx2 = {.name = "planes-avx2",
                                      .title = "Bit planes, AVX2",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .cpu = CPU_AVX2,
                                      .build = build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
