/* Values and sums in floats, in AVX2's registers: a value is looked up byte by byte, each byte for
 * 32 documents by permutations of 16 bytes, and put together by unpacking. docs/floors.md counts
 * instructions. A value of 128 would take longer than the load of a double. */
#ifndef IMPLS_PLANES_FLOATS_AVX2_H
#define IMPLS_PLANES_FLOATS_AVX2_H

#include "impls/planes_avx2.h"
#include "impls/planes_tables.h"

#define FLOAT_VALUES 16

typedef __m256 floats;

enum { SIXTEENS = 4 }; /* of the values of a tree, at most */

/* Where among sixteen values those of 32 codes are, for each sixteen of a tree's; with the highest
 * bit set where they are among others, which permutations make 0 of. */
static inline void find_places(__m256i code, uint32_t n_sixteens, __m256i place[SIXTEENS]) {
    const __m256i beyond = _mm256_set1_epi8(0x80 - FLOAT_VALUES);
    place[0] = code;
    for (uint32_t i = 0; n_sixteens > 1 && i < n_sixteens; i++) {
        __m256i other = _mm256_xor_si256(code, _mm256_set1_epi8((char)(FLOAT_VALUES * i)));
        place[i] = _mm256_add_epi8(other, beyond);
    }
}

/* One after the other: all at once, as gcc would have it, they do not fit in the registers. */
static inline __m256i find_bytes(const uint8_t *bytes, uint32_t n_sixteens,
                                 const __m256i place[SIXTEENS]) {
    __m256i found = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n_sixteens; i++) {
        const __m128i *from = (const __m128i *)(bytes + FLOAT_VALUES * i);
        __m256i sixteen = _mm256_broadcastsi128_si256(_mm_load_si128(from));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen, place[i]));
        __asm__("" : "+x"(found));
    }
    return found;
}

/* Unpacking works by halves of a register: value[i] has those of the codes 4 i to 4 i + 3 and
 * 16 + 4 i to 16 + 4 i + 3. */
static inline void find_values(const uint8_t *tables, uint32_t n_values, const uint8_t *codes,
                               floats value[4]) {
    const uint32_t n_sixteens = n_values / FLOAT_VALUES;
    __m256i place[SIXTEENS], byte[sizeof(float)];
    find_places(_mm256_load_si256((const __m256i *)codes), n_sixteens, place);
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = find_bytes(tables + planes_table_place(0, i), n_sixteens, place);
    __m256i low = _mm256_unpacklo_epi8(byte[0], byte[1]);
    __m256i high = _mm256_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, high));
    value[1] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, high));
    low = _mm256_unpackhi_epi8(byte[0], byte[1]);
    high = _mm256_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, high));
    value[3] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, high));
}

/* Four sums of floats, to those of documents that lie side by side. */
static inline void add_four(__m128 four, double *column) {
    __m256d sum = _mm256_add_pd(_mm256_load_pd(column), _mm256_cvtps_pd(four));
    _mm256_store_pd(column, sum);
}

static inline void planes_add_sums(const float *sums, size_t n_codes, double *column) {
    for (size_t i = 0; i < n_codes; i += QUARTET)
        for (size_t j = 0; j < 4; j++) {
            __m256 eight = _mm256_load_ps(sums + i + LANES * j);
            add_four(_mm256_castps256_ps128(eight), column + i + 4 * j);
            add_four(_mm256_extractf128_ps(eight, 1), column + i + QUARTET / 2 + 4 * j);
        }
}

#include "impls/planes_floats.h"

#endif
