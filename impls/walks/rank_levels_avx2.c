/* `rank-levels` with AVX2 (Intel since Haswell, AMD since Zen). */
#include "base/cpu.h"
#include "impls/walks/rank_avx2.h"

typedef __m256i level_bytes;
typedef __m256i level_choices;
typedef __m256i level_parts;

enum { LEVEL_LANES = 32 };
#define LEVEL_PARTS LEVEL_CASE(4) LEVEL_CASE(8) LEVEL_CASE(12) LEVEL_CASE(16)

RANK_INLINE level_bytes level_load(const void *bytes) {
    return _mm256_load_si256((const __m256i *)bytes);
}

RANK_INLINE void level_store(uint16_t *to, level_bytes bytes) {
    __m256i *halves = (__m256i *)(void *)to, zero = _mm256_setzero_si256();
    bytes = _mm256_permute4x64_epi64(bytes, _MM_SHUFFLE(3, 1, 2, 0));
    _mm256_store_si256(halves, _mm256_srli_epi16(_mm256_unpacklo_epi8(zero, bytes), 2));
    _mm256_store_si256(halves + 1, _mm256_srli_epi16(_mm256_unpackhi_epi8(zero, bytes), 2));
}

RANK_INLINE level_bytes level_zero(void) {
    return _mm256_setzero_si256();
}

RANK_INLINE level_choices level_greater(level_bytes bytes, level_bytes thresholds) {
    return _mm256_cmpgt_epi8(bytes, thresholds);
}

RANK_INLINE level_bytes level_choose(level_bytes left, level_bytes right,
                                     level_choices goes_right) {
    return _mm256_blendv_epi8(left, right, goes_right);
}

RANK_INLINE level_bytes level_descend(level_bytes index, level_choices goes_right) {
    return _mm256_sub_epi8(_mm256_add_epi8(index, index), goes_right);
}

#define level_load_parts rank_load_parts
#define level_look_up rank_look_up

#include "impls/walks/rank_levels_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {[IMPL_NO_VBMI] = {LEVEL_COST}};

const struct impl impl_rank_levels_avx2 = {.name = "rank-levels-avx2",
                                           .title = "Levels of ranks, AVX2",
                                           .cpu = CPU_AVX2,
                                           .costs = costs,
                                           LEVEL_FACTS};
