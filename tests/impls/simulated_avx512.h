/* For tests of kernels for AVX-512 on processors without it: a kernel's file, included behind this
 * one, is compiled over SIMDe's stand-ins for the instructions, and takes the place of the
 * library's. SIMULATED_AVX512 is defined where SIMDe is there; where it is not,
 * SIMULATION_SKIPPED(name) is a program that says so. */
#ifndef TESTS_IMPLS_SIMULATED_AVX512_H
#define TESTS_IMPLS_SIMULATED_AVX512_H

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<simde/x86/avx512.h>)
#define SIMULATED_AVX512
#endif
#endif

#ifdef SIMULATED_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>
#define __mmask8 simde__mmask8 /* without native names in some versions */
#define __mmask16 simde__mmask16
#define __mmask32 simde__mmask32
#define __mmask64 simde__mmask64

#ifndef _mm512_cvtps_pd /* SIMDe has not got it */
static inline simde__m512d simulated_cvtps_pd(simde__m256 floats) {
    float from[8];
    double to[8];
    simde_mm256_storeu_ps(from, floats);
    for (int i = 0; i < 8; i++)
        to[i] = (double)from[i];
    return simde_mm512_loadu_pd(to);
}
#define _mm512_cvtps_pd simulated_cvtps_pd
#endif

#ifndef _mm512_maskz_loadu_epi32
static inline simde__m512i simulated_maskz_loadu_epi32(simde__mmask16 mask, const void *from) {
    const int32_t *words = (const int32_t *)from;
    int32_t loaded[16] = {0};
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            loaded[i] = words[i];
    return simde_mm512_loadu_si512(loaded);
}
#define _mm512_maskz_loadu_epi32 simulated_maskz_loadu_epi32
#endif

#ifndef _mm512_cvtepu8_epi32
static inline simde__m512i simulated_cvtepu8_epi32(simde__m128i bytes) {
    simde__m128i_private from = simde__m128i_to_private(bytes);
    int32_t words[16];
    for (int i = 0; i < 16; i++)
        words[i] = from.u8[i];
    return simde_mm512_loadu_si512(words);
}
#define _mm512_cvtepu8_epi32 simulated_cvtepu8_epi32
#endif

#include "base/cpu.h"
#include "tests/sanitizers.h"

/* Sanitizers see the same source in the library's kernel where the processor runs it. */
static inline bool simulation_is_needed(void) {
    return !SANITIZERS || !(cpu_features() & CPU_AVX512_VBMI);
}

#define CPU_AVX512 0 /* nothing that a processor might lack */
#define CPU_AVX512_VBMI 0
#else
#include <stdio.h>

#define SIMULATION_SKIPPED(name)                                                                   \
    int main(void) {                                                                               \
        puts("1..1\nok 1 " name " # skip needs x86-64 and SIMDe (libsimde-dev)");                  \
        return 0;                                                                                  \
    }
#endif

#endif
