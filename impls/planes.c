#define PLANES_IMPL impl_planes
#include "impls/planes_portable.h"

#include "impls/planes_impl.h"

const struct impl impl_planes = {.name = "planes",
                                 .title = "Bit planes",
                                 .source = "docs/floors.md",
                                 .kind = IMPL_TRAVERSAL,
                                 .sets = true,
                                 .build = planes_build,
                                 .score = planes_score,
                                 .destroy = planes_scorer_destroy};
