/* rank-bytes on processors without AVX-512, as test_exactness.c has it. */
#include "tests/impls/simulated_avx512.h"

#ifdef SIMULATED_AVX512
/* Two that SIMDe lacks. */
#define _mm512_maskz_loadu_epi32(mask, from) load_some(mask, from)
#define _mm512_cvtepu8_epi32(bytes) widen_bytes(bytes)

static inline __m512i load_some(__mmask16 mask, const void *from) {
    const int32_t *words = from;
    int32_t loaded[16] = {0};
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            loaded[i] = words[i];
    return simde_mm512_loadu_si512(loaded);
}

static inline __m512i widen_bytes(__m128i bytes) {
    simde__m128i_private from = simde__m128i_to_private(bytes);
    int32_t words[16];
    for (int i = 0; i < 16; i++)
        words[i] = from.u8[i];
    return simde_mm512_loadu_si512(words);
}

#include "impls/walks/rank_bytes_vbmi.c"

#define ONLY_IMPL "rank-bytes"
#include "tests/impls/test_exactness.c"
#else
SIMULATION_SKIPPED("rank-bytes")
#endif
