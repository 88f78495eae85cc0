/* Bit planes in AVX2's registers. */
#include "base/cpu.h"
#include "impls/planes_read_avx2.h"

#include <immintrin.h>

#define PLANES_REGISTER 32
#define PLANES_PARTS 1
#define PLANES_FAN_BITS 3

/* The last of eight keys is INT32_MAX, which none is greater than. */
static inline uint32_t planes_child(const int32_t *node, int32_t key) {
    __m256i less =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(key), _mm256_load_si256((const __m256i *)node));
    return (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(less)));
}

#include "impls/planes_kernel.h"

extern const struct impl impl_planes_avx2;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes_avx2, ensemble, scorer, error);
}

const struct impl impl_planes_avx2 = {.name = "planes-avx2",
                                      .title = "Bit planes, AVX2",
                                      .source = "docs/floors.md",
                                      .kind = IMPL_TRAVERSAL,
                                      .cpu = CPU_AVX2,
                                      .build = build,
                                      .score = planes_score,
                                      .destroy = planes_scorer_destroy};
