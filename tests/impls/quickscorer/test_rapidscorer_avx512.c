/* rapidscorer-avx512 on processors without AVX-512, as test_exactness.c has it. */
#include "tests/impls/simulated_avx512.h"

#ifdef SIMULATED_AVX512
/* Two that SIMDe lacks. */
#define _mm512_kunpackw(high, low) ((__mmask32)(high) << 16 | (low))
#define _mm512_kunpackd(high, low) ((__mmask64)(high) << 32 | (low))

#include "impls/quickscorer/rapidscorer_avx512.c"

#define ONLY_IMPL "rapidscorer-avx512"
#include "tests/impls/test_exactness.c"
#else
SIMULATION_SKIPPED("rapidscorer-avx512")
#endif
