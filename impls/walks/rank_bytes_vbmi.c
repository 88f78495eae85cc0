/* `rank-bytes` with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake, AMD since Zen 4). */
#include "base/cpu.h"
#include "impls/walks/rank_bytes_model.h"
#include "impls/walks/rank_bytes_tmpl.h"

static void score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch) {
    rank_score(&((const struct rank_model *)scorer)->view, units, docs, batch);
}

extern const struct impl impl_rank_bytes;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return rank_build(&impl_rank_bytes, ensemble, scorer, error);
}

const struct impl impl_rank_bytes = {.name = "rank-bytes",
                                     .title = "Bytes of ranks, AVX-512",
                                     .source = "docs/floors.md",
                                     .kind = IMPL_TRAVERSAL,
                                     .votes = true,
                                     .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                     .build = build,
                                     .score = score,
                                     .destroy = rank_destroy};
