/* `rank-bytes` with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake, AMD since Zen 4). */
#include "impls/walks/rank_bytes_model.h"
#include "impls/walks/rank_bytes_tmpl.h"

void rank_bytes_score(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch) {
    rank_score(&((const struct rank_model *)scorer)->view, units, docs, batch);
}
