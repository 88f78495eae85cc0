/* Bit planes compiled to machine code, with AVX2 (Intel since Haswell, AMD since Excavator). A
 * plane has two registers, so that it fills a cache line: tests come from the second-level cache
 * one line at a time. The code of a bundle runs once for each register of a plane. */
#include "base/cpu.h"

enum { KERNEL_PARTS = 2 };

#include "impls/planes/kernel/planes_avx2_tmpl.h"

#include "impls/planes/jit/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_floats_avx2_tmpl.h"

#include "impls/planes/kernel/planes_run_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

extern const struct impl impl_planes_jit_avx2;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    return planes_build(&impl_planes_jit_avx2, &planes_jit_vex, ensemble, options, scorer, error);
}

const struct impl impl_planes_jit_avx2 = {.name = "planes-jit-avx2",
                                          .title = "Bit planes, compiled, AVX2",
                                          .family = "planes-jit",
                                          .source = "docs/floors.md",
                                          .kind = IMPL_TRAVERSAL,
                                          .params = sums_params,
                                          .cpu = CPU_AVX2,
                                          .sets = true,
                                          .build = build,
                                          .score = planes_score,
                                          .destroy = planes_scorer_destroy};
