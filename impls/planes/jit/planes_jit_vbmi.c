/* Bit planes compiled to machine code, with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake,
 * AMD since Zen 4). */
#include "base/cpu.h"

enum { KERNEL_PARTS = 1 };

#include "impls/planes/kernel/planes_vbmi_tmpl.h"

#include "impls/planes/jit/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_floats_vbmi_tmpl.h"

#include "impls/planes/kernel/planes_run_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

extern const struct impl impl_planes_jit;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    return planes_build(&impl_planes_jit, &planes_jit_evex, ensemble, options, scorer, error);
}

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {
        .lanes = 512,
        .step = {.always = 150, .piece = 22, .piece_node = 1, .far_node = 1.3, .feature = 35},
        .document = {.always = 1, .piece = 0.097, .feature = 0.23}}};

const struct impl impl_planes_jit = {.name = "planes-jit",
                                     .title = "Bit planes, compiled, AVX-512",
                                     .source = "docs/floors.md",
                                     .kind = IMPL_TRAVERSAL,
                                     .params = sums_params,
                                     .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                     .sets = true,
                                     .costs = costs,
                                     .build = build,
                                     .score = planes_score,
                                     .destroy = planes_scorer_destroy};
