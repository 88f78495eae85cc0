/* rank-bytes on processors without AVX-512, as test_exactness.c has it. */
#include "tests/impls/simulated_avx512.h"

#ifdef SIMULATED_AVX512
#include "impls/walks/rank_bytes_vbmi.c"

#define ONLY_IMPL "rank-bytes"
#include "tests/impls/test_exactness.c"
#else
SIMULATION_SKIPPED("rank-bytes")
#endif
