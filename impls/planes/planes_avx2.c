/* Bit planes with AVX2 (Intel since Haswell, AMD since Excavator). */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };

#include "impls/planes/kernel/planes_avx2_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_floats_avx2_tmpl.h"

#include "impls/planes/kernel/planes_run_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

extern const struct impl impl_planes_avx2;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    return planes_build(&impl_planes_avx2, NULL, ensemble, options, scorer, error);
}

const struct impl impl_planes_avx2 = {.name = "planes-avx2",
                                      .title = "Bit planes, AVX2",
                                      .family = "planes",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .params = sums_params,
                                      .cpu = CPU_AVX2,
                                      .sets = true,
                                      .build = build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
