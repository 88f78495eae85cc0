/* `rank-levels` with AVX-512 and VBMI (Intel's servers since Ice Lake, AMD since Zen 4). */
#include "base/cpu.h"
#include "impls/walks/rank_avx512.h"

typedef __m512i level_bytes;
typedef __mmask64 level_choices;
typedef __m512i level_parts;

enum { LEVEL_LANES = 64, RANK_PART = 64, RANK_MAX_PARTS = 4 }; /* a look-up is among 64 or 128 */
#define LEVEL_PARTS LEVEL_CASE(1) LEVEL_CASE(2) LEVEL_CASE(4)

RANK_INLINE level_bytes level_load(const void *bytes) {
    return _mm512_load_si512(bytes);
}

RANK_INLINE void level_store(uint16_t *to, level_bytes bytes) {
    __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes));
    __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1));
    _mm512_store_si512(to, _mm512_slli_epi16(low, 6));
    _mm512_store_si512(to + 32, _mm512_slli_epi16(high, 6));
}

RANK_INLINE level_bytes level_zero(void) {
    return _mm512_setzero_si512();
}

RANK_INLINE level_choices level_greater(level_bytes bytes, level_bytes thresholds) {
    return _mm512_cmpgt_epi8_mask(bytes, thresholds);
}

RANK_INLINE level_bytes level_choose(level_bytes left, level_bytes right,
                                     level_choices goes_right) {
    return _mm512_mask_blend_epi8(goes_right, left, right);
}

RANK_INLINE level_bytes level_descend(level_bytes index, level_choices goes_right) {
    __m512i left = _mm512_add_epi8(index, index);
    return _mm512_mask_add_epi8(left, goes_right, left, _mm512_set1_epi8(1));
}

/* The bytes of a document are ranks, and thresholds are ranks minus 128. */
RANK_INLINE void level_load_parts(const uint8_t *bytes, uint32_t n, level_parts *parts) {
    for (uint32_t p = 0; p < n; p++)
        parts[p] =
            _mm512_xor_si512(_mm512_load_si512(bytes + p * RANK_PART), _mm512_set1_epi8(INT8_MIN));
}

RANK_INLINE level_bytes level_look_up(const level_parts *parts, uint32_t n, level_bytes columns) {
    if (n == 1)
        return _mm512_permutexvar_epi8(columns, parts[0]);
    __m512i low = _mm512_permutex2var_epi8(parts[0], columns, parts[1]);
    if (n == 2)
        return low;
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(columns), low,
                                  _mm512_permutex2var_epi8(parts[2], columns, parts[3]));
}

#include "impls/walks/rank_levels_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1,
                   .document = {.always = 25, .tree = 0.8, .row = 0.9, .feature = 0.9}}};

const struct impl impl_rank_levels_vbmi = {.name = "rank-levels-vbmi",
                                           .title = "Levels of ranks, AVX-512",
                                           .cpu = CPU_AVX512 | CPU_AVX512_VBMI,
                                           .costs = costs,
                                           LEVEL_FACTS};
