/* Bit planes with NEON on arm64. A plane has two registers. With one register, the kernel would
 * read each node, and each operand of an XOR, twice as often. */
#include "base/cpu.h"

enum { KERNEL_PARTS = 2 };

#include "impls/planes/kernel/planes_neon_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_doubles_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_NO_VBMI] = {.lanes = 256,
                      .step = {.always = 550, .piece = 16, .piece_node = 3.9, .feature = 145},
                      .document = {.always = 49, .piece = 0.83, .feature = 1.5}}};

const struct impl impl_planes_neon = {.name = "planes-neon",
                                      .title = "Bit planes, NEON",
                                      .family = "planes",
                                      .cpu = CPU_NEON,
                                      .costs = costs,
                                      PLANES_FACTS};
