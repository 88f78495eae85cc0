#include "impls/planes_portable.h"

#include "impls/planes_impl.h"

extern const struct impl impl_planes;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes, ensemble, scorer, error);
}

const struct impl impl_planes = {.name = "planes",
                                 .title = "Bit planes",
                                 .source = "docs/floors.md",
                                 .kind = IMPL_TRAVERSAL,
                                 .build = build,
                                 .score = planes_score,
                                 .destroy = planes_scorer_destroy};
