/* Bit planes with NEON on arm64. A plane has two registers. With one register, the kernel would
 * read each node, and each operand of an XOR, twice as often. */
#include "base/cpu.h"

enum { KERNEL_PARTS = 2 };

#include "impls/planes/kernel/planes_neon_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_doubles_tmpl.h"

#include "impls/planes/kernel/planes_run_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

extern const struct impl impl_planes_neon;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    return planes_build(&impl_planes_neon, NULL, ensemble, options, scorer, error);
}

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_NO_VBMI] = {.lanes = 256,
                      .step = {.always = 550, .piece = 16, .piece_node = 3.9, .feature = 145},
                      .document = {.always = 49, .piece = 0.83, .feature = 1.5}}};

const struct impl impl_planes_neon = {.name = "planes-neon",
                                      .title = "Bit planes, NEON",
                                      .family = "planes",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .cpu = CPU_NEON,
                                      .sets = true,
                                      .costs = costs,
                                      .build = build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
