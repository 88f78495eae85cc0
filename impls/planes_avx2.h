/* Bit planes in AVX2's registers, 256 documents a block.
 *
 * Counted in gcc 12's machine code, for a tree of 64 leaves and a block:
 *
 *   step                        instructions   loads + stores
 *   C  64 nodes                 700            384: 5 loads and a store each, 4 nodes unrolled
 *   D  codes                    240            95
 *   E  256 values, in doubles   980            355: one load for 4 codes, one for each value
 *   together                    1920           834
 *   bound on Zen 3, cycles      320 (6 a cycle)  278 (3 a cycle)
 *
 * 320 cycles are 0.39 ns a document and tree at 3.24 GHz; docs/floors.md has what was measured.
 * Values in floats would save nothing here: they come by one load each, whatever their size; 8 of
 * them by permutations of 64 floats in registers cost 8 vpermd of 2 instructions each and 7 blends.
 * A value's rank costs 16 instructions for up to 511 thresholds, reading and its key 2. */
#ifndef IMPLS_PLANES_AVX2_H
#define IMPLS_PLANES_AVX2_H

#include "impls/planes_read_avx2.h"
#include "impls/planes_types.h"

#include <immintrin.h>

#define PLANES_REGISTER 32
#ifndef PLANES_PARTS
#define PLANES_PARTS 1
#endif
#define PLANES_FAN_BITS 3

/* The last of eight keys is INT32_MAX, which none is greater than. */
static inline uint32_t planes_child(const int32_t *node, int32_t key) {
    __m256i less =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(key), _mm256_load_si256((const __m256i *)node));
    return (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(less)));
}

#endif
