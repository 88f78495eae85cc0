/* vqs-avx512 on processors without AVX-512, as test_exactness.c has it. */
#include "tests/impls/simulated_avx512.h"

#ifdef SIMULATED_AVX512
#include "impls/quickscorer/vqs_avx512.c"

#define ONLY_IMPL "vqs-avx512"
#include "tests/impls/test_exactness.c"
#else
SIMULATION_SKIPPED("vqs-avx512")
#endif
