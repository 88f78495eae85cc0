/* Step E of bit planes with values and sums in floats, in AVX2's registers: a value is looked up
 * byte by byte, each byte for 32 documents by permutations of 16 bytes, and put together by
 * unpacking. docs/floors.md counts instructions. */
#ifndef IMPLS_PLANES_FLOATS_AVX2_H
#define IMPLS_PLANES_FLOATS_AVX2_H

#include "impls/planes_avx2.h"
#include "impls/planes_tables.h"

/* Codes at most. A value of 128 takes 1.5 times as long as the load of a double. */
#define PLANES_FLOATS 64

enum {
    SIXTEEN = 16,
    MOST_SIXTEENS = PLANES_FLOATS / SIXTEEN,
    FLOATS = 8 /* of a register */
};

/* Where among sixteen values those of 32 codes are, for each sixteen of a tree's; with the highest
 * bit set where they are among others, which permutations make 0 of. */
static inline void find_places(__m256i code, uint32_t n_sixteens, __m256i place[MOST_SIXTEENS]) {
    const __m256i beyond = _mm256_set1_epi8(0x80 - SIXTEEN);
    place[0] = code;
    for (uint32_t i = 0; n_sixteens > 1 && i < n_sixteens; i++) {
        __m256i other = _mm256_xor_si256(code, _mm256_set1_epi8((char)(SIXTEEN * i)));
        place[i] = _mm256_add_epi8(other, beyond);
    }
}

/* One after the other: all at once, as gcc would have it, they do not fit in the registers. */
static inline __m256i find_bytes(const uint8_t *bytes, uint32_t n_sixteens,
                                 const __m256i place[MOST_SIXTEENS]) {
    __m256i found = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n_sixteens; i++) {
        const uint8_t *from = bytes + planes_table_place(SIXTEEN * i, 0);
        __m256i sixteen = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)from));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen, place[i]));
        __asm__("" : "+x"(found));
    }
    return found;
}

/* The values of 32 codes: unpacking works by halves of a register, so that value[i] has those of
 * the codes 4 i to 4 i + 3 and 16 + 4 i to 16 + 4 i + 3. */
static inline void find_values(const uint8_t *bytes, uint32_t n_sixteens, __m256i code,
                               __m256i value[4]) {
    __m256i place[MOST_SIXTEENS], byte[sizeof(float)];
    find_places(code, n_sixteens, place);
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = find_bytes(bytes + planes_table_place(0, i), n_sixteens, place);
    __m256i low = _mm256_unpacklo_epi8(byte[0], byte[1]);
    __m256i high = _mm256_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm256_unpacklo_epi16(low, high);
    value[1] = _mm256_unpackhi_epi16(low, high);
    low = _mm256_unpackhi_epi8(byte[0], byte[1]);
    high = _mm256_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm256_unpacklo_epi16(low, high);
    value[3] = _mm256_unpackhi_epi16(low, high);
}

/* Inlined by order: the loops are to be unrolled for each number of tables. */
static inline __attribute__((always_inline)) void
add_tables(const uint8_t *const *tables, size_t count, uint32_t n_sixteens, const uint8_t *codes,
           size_t codes_stride, size_t n_codes, float *sums) {
    for (size_t i = 0; i < n_codes; i += QUARTET, sums += QUARTET) {
        __m256 sum[4];
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm256_load_ps(sums + FLOATS * j);
        for (size_t t = 0; t < count; t++) {
            const __m256i *code = (const __m256i *)(codes + t * codes_stride + i);
            __m256i value[4];
            find_values(tables[t], n_sixteens, _mm256_load_si256(code), value);
            for (size_t j = 0; j < 4; j++)
                sum[j] = _mm256_add_ps(sum[j], _mm256_castsi256_ps(value[j]));
        }
        for (size_t j = 0; j < 4; j++)
            _mm256_store_ps(sums + FLOATS * j, sum[j]);
    }
}

static inline void planes_add_floats(const uint8_t *const *tables, size_t count,
                                     uint32_t most_codes, const uint8_t *codes, size_t codes_stride,
                                     size_t n_codes, float *sums) {
#define ADD(n_sixteens)                                                                            \
    if (most_codes <= SIXTEEN * (n_sixteens)) {                                                    \
        if (count == PLANES_BUNDLE)                                                                \
            add_tables(tables, PLANES_BUNDLE, n_sixteens, codes, codes_stride, n_codes, sums);     \
        else                                                                                       \
            add_tables(tables, count, n_sixteens, codes, codes_stride, n_codes, sums);             \
        return;                                                                                    \
    }
    ADD(1)
    ADD(2)
    ADD(4)
#undef ADD
}

/* Four sums of floats, to those of documents that lie side by side. */
static inline void add_four(__m128 floats, double *column) {
    __m256d sum = _mm256_add_pd(_mm256_load_pd(column), _mm256_cvtps_pd(floats));
    _mm256_store_pd(column, sum);
}

static inline void planes_add_sums(const float *sums, size_t n_codes, double *column) {
    for (size_t i = 0; i < n_codes; i += QUARTET)
        for (size_t j = 0; j < 4; j++) {
            __m256 floats = _mm256_load_ps(sums + i + FLOATS * j);
            add_four(_mm256_castps256_ps128(floats), column + i + 4 * j);
            add_four(_mm256_extractf128_ps(floats, 1), column + i + QUARTET / 2 + 4 * j);
        }
}

#endif
