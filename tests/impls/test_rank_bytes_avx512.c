/* rank-bytes on processors without AVX-512: as test_vqs_avx512.c. */
#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<simde/x86/avx512.h>)
#define SIMULATED_AVX512
#endif
#endif

#ifdef SIMULATED_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define __mmask16 simde__mmask16 /* without native names in some versions */
#define __mmask64 simde__mmask64

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

#include "base/cpu.h"
#define CPU_AVX512 0 /* nothing that a processor might lack */
#define CPU_AVX512_VBMI 0
#include "impls/rank_bytes_avx512.c"

#define ONLY_IMPL "rank-bytes"
#include "tests/impls/test_exactness.c"
#else
#include <stdio.h>

int main(void) {
    puts("1..1\nok 1 rank-bytes # skip needs x86-64 and SIMDe (libsimde-dev)");
    return 0;
}
#endif
