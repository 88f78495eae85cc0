#include "impls/planes_neon.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

extern const struct impl impl_planes_neon;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes_neon, ensemble, scorer, error);
}

const struct impl impl_planes_neon = {.name = "planes-neon",
                                      .title = "Bit planes, NEON",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .cpu = CPU_NEON,
                                      .build = build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
