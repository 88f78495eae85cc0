#define PLANES_IMPL impl_planes_neon
#include "impls/planes_neon.h"

#include "base/cpu.h"
#include "impls/planes_impl.h"

const struct impl impl_planes_neon = {.name = "planes-neon",
                                      .title = "Bit planes, NEON",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .cpu = CPU_NEON,
                                      .sets = true,
                                      .build = planes_build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
