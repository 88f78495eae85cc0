/* Includes the AVX-512 intrinsics, unless a test compiles the kernel with stand-ins for them
 * (tests/impls/simulated_avx512.h). */
#ifndef IMPLS_SHARED_AVX512_H
#define IMPLS_SHARED_AVX512_H

#ifndef SIMULATED_AVX512
#include <immintrin.h>
#endif

#endif
