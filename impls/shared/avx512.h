/* The intrinsics of AVX-512, for kernels that tests also compile over stand-ins
 * (tests/impls/simulated_avx512.h). */
#ifndef IMPLS_SHARED_AVX512_H
#define IMPLS_SHARED_AVX512_H

#ifndef SIMULATED_AVX512
#include <immintrin.h>
#endif

#endif
