/* Takes one document down 64 trees at once, with AVX-512: 4 registers with 16 trees each. */
#include "base/cpu.h"

#include <immintrin.h>
#include <stdint.h>

enum { WALK_LANES = 16 };

typedef __m512i gather_lanes;

static inline gather_lanes gather_load(const uint32_t *from) {
    return _mm512_load_si512(from);
}

static inline void gather_store(uint32_t *to, gather_lanes v) {
    _mm512_store_si512(to, v);
}

static inline gather_lanes gather_set(uint32_t word) {
    return _mm512_set1_epi32((int)word);
}

static inline gather_lanes gather_and(gather_lanes a, gather_lanes b) {
    return _mm512_and_si512(a, b);
}

static inline gather_lanes gather_add(gather_lanes a, gather_lanes b) {
    return _mm512_add_epi32(a, b);
}

static inline gather_lanes gather_shift(gather_lanes v, int count) {
    return _mm512_srl_epi32(v, _mm_cvtsi32_si128(count));
}

static inline gather_lanes gather_words(const uint32_t *words, gather_lanes index) {
    return _mm512_i32gather_epi32(index, words, sizeof *words);
}

static inline gather_lanes gather_add_greater(gather_lanes v, gather_lanes a, gather_lanes b) {
    return _mm512_mask_sub_epi32(v, _mm512_cmpgt_epu32_mask(a, b), v, _mm512_set1_epi32(-1));
}

#include "impls/walks/gather_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1,
                   .document = {.always = 75, .level = 1.35, .far_level = 0.7, .bisection = 1.1}}};

const struct impl impl_gather_avx512 = {.name = "gather-avx512",
                                        .title = "Gathers, AVX-512",
                                        .family = "gather",
                                        .cpu = CPU_AVX512,
                                        .costs = costs,
                                        WALK_FACTS};
