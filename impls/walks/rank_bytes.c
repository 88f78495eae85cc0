/* `rank-bytes` is registered on all machines, because `export` writes it on all. */
#include "base/cpu.h"
#include "impls/walks/rank_bytes_model.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {
        .lanes = 1,
        .document = {
            .always = 25, .tree = 0.81, .bundle = 2.7, .far_node = 0.012, .feature = 0.84}}};

const struct impl impl_rank_bytes = {
    .name = "rank-bytes",
    .title = "Bytes of ranks, AVX-512",
    .source = "docs/floors.md",
    .kind = IMPL_TRAVERSAL,
    .votes = true,
    .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
    .costs = costs,
    .form = IMPL_RANK_BYTES,
    .build = rank_build,
    .spread = rank_spread,
#ifdef __x86_64__
    .score = rank_bytes_score,
#endif
};
