/* rapidscorer-avx512 on processors without AVX-512: as test_vqs_avx512.c. */
#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<simde/x86/avx512.h>)
#define SIMULATED_AVX512
#endif
#endif

#ifdef SIMULATED_AVX512
#pragma GCC diagnostic ignored "-Wpsabi" /* of vectors wider than the machine: stay in this file   \
                                          */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define __mmask16 simde__mmask16 /* without native names in some versions */
#define __mmask32 simde__mmask32
#define __mmask64 simde__mmask64

/* Three that SIMDe lacks. */
#define _mm512_kunpackw(high, low) ((__mmask32)(high) << 16 | (low))
#define _mm512_kunpackd(high, low) ((__mmask64)(high) << 32 | (low))
#define _mm512_i32gather_pd(index, base, scale) gather_eight(index, base)

static inline __m512d gather_eight(__m256i index, const double *base) {
    simde__m256i_private at = simde__m256i_to_private(index);
    double found[8];
    for (int i = 0; i < 8; i++)
        found[i] = base[at.i32[i]];
    return simde_mm512_loadu_pd(found);
}

#include "base/cpu.h"
#define CPU_AVX512 0 /* nothing that a processor might lack */
#include "impls/rapidscorer_avx512.c"

#define ONLY_IMPL "rapidscorer-avx512"
#include "tests/impls/test_exactness.c"
#else
#include <stdio.h>

int main(void) {
    puts("1..1\nok 1 rapidscorer-avx512 # skip needs x86-64 and SIMDe (libsimde-dev)");
    return 0;
}
#endif
