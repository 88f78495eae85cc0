/* vqs-avx512 on processors without AVX-512: its kernel once more, over SIMDe's stand-ins for the
 * instructions, takes the place of the library's, and then test_exactness.c as for all others. */
#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<simde/x86/avx512.h>)
#define SIMULATED_AVX512
#endif
#endif

#ifdef SIMULATED_AVX512
#pragma GCC diagnostic ignored "-Wpsabi" /* of vectors wider than the machine: stays in this file  \
                                          */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define __mmask8 simde__mmask8 /* without native names in some versions */
#define __mmask16 simde__mmask16

#include "base/cpu.h"
#define CPU_AVX512 0 /* nothing that a processor might lack */
#include "impls/vqs_avx512.c"

#define ONLY_IMPL "vqs-avx512"
#include "tests/impls/test_exactness.c"
#else
#include <stdio.h>

int main(void) {
    puts("1..1\nok 1 vqs-avx512 # skip needs x86-64 and SIMDe (libsimde-dev)");
    return 0;
}
#endif
