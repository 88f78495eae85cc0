/* planes-avx512 on processors without AVX-512: as test_vqs_avx512.c. */
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
#define __mmask16 simde__mmask16 /* without a native name in some versions */

#include "base/cpu.h"
#define CPU_AVX512_VBMI 0 /* nothing that a processor might lack */
#include "impls/planes_avx512.c"

#define ONLY_IMPL "planes-avx512"
#include "tests/impls/test_exactness.c"
#else
#include <stdio.h>

int main(void) {
    puts("1..1\nok 1 planes-avx512 # skip needs x86-64 and SIMDe (libsimde-dev)");
    return 0;
}
#endif
