/* Bit planes in portable C, for every processor. A plane has two registers. With one register, the
 * kernel would read each node, and each operand of an XOR, twice as often. */
enum { KERNEL_PARTS = 2 };

#include "impls/planes/kernel/planes_portable_tmpl.h"

#include "impls/planes/kernel/planes_nodes_tmpl.h"

#include "impls/planes/kernel/planes_doubles_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 256,
                   .step = {.always = 100, .piece = 9, .piece_node = 2.2, .feature = 140},
                   .document = {.always = 10, .piece = 0.4, .feature = 0.45}},
    [IMPL_NO_VBMI] = {.lanes = 256,
                      .step = {.always = 550, .piece = 16, .piece_node = 3.9, .feature = 145},
                      .document = {.always = 49, .piece = 0.83, .feature = 1.5}}};

const struct impl impl_planes = {
    .name = "planes", .title = "Bit planes", .costs = costs, .form = IMPL_PLANES, PLANES_FACTS};
