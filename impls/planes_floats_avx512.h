/* Step E of bit planes with values and sums in floats, in AVX-512's registers: as with doubles
 * (planes_avx512.h), of half as many bytes, which are unpacked once less.
 *
 * For a tree of up to 64 leaves and 64 documents: a load of codes, 4 permutations, 8 times
 * unpacking, 4 additions, and for four trees 4 loads and 4 stores of sums; with doubles 8, 24 and
 * 8, and 8 loads and 8 stores for each tree. */
#ifndef IMPLS_PLANES_FLOATS_AVX512_H
#define IMPLS_PLANES_FLOATS_AVX512_H

#include "impls/planes_avx512.h"
#include "impls/planes_tables.h"

#define PLANES_FLOATS PLANES_MAX_LEAVES /* codes at most */

enum { FLOATS = 16 /* of a register */ };

static inline __m512i find_bytes(const uint8_t *bytes, uint32_t n_tables, __m512i code) {
    __m512i table[TABLES];
    for (uint32_t i = 0; i < n_tables; i++)
        table[i] = _mm512_load_si512(bytes + planes_table_place(TABLE * i, 0));
    if (n_tables == 1)
        return _mm512_permutexvar_epi8(code, table[0]);
    __m512i low = _mm512_permutex2var_epi8(table[0], code, table[1]);
    if (n_tables == 2)
        return low;
    __m512i high = _mm512_permutex2var_epi8(table[2], code, table[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high);
}

/* The values of 64 codes: in quarter q of value[i] those of the codes 16 q + 4 i to 16 q + 4 i + 3.
 */
static inline void find_values(const uint8_t *bytes, uint32_t n_tables, __m512i code,
                               __m512i value[4]) {
    __m512i byte[sizeof(float)];
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = find_bytes(bytes + planes_table_place(0, i), n_tables, code);
    __m512i low = _mm512_unpacklo_epi8(byte[0], byte[1]);
    __m512i high = _mm512_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm512_unpacklo_epi16(low, high);
    value[1] = _mm512_unpackhi_epi16(low, high);
    low = _mm512_unpackhi_epi8(byte[0], byte[1]);
    high = _mm512_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm512_unpacklo_epi16(low, high);
    value[3] = _mm512_unpackhi_epi16(low, high);
}

/* Inlined by order: the loops are to be unrolled for each number of tables. */
static inline __attribute__((always_inline)) void
add_tables(const uint8_t *const *tables, size_t count, uint32_t n_tables, const uint8_t *codes,
           size_t codes_stride, size_t n_codes, float *sums) {
    for (size_t i = 0; i < n_codes; i += CHUNK, sums += CHUNK) {
        __m512 sum[4];
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm512_load_ps(sums + FLOATS * j);
        for (size_t t = 0; t < count; t++) {
            __m512i value[4];
            find_values(tables[t], n_tables, _mm512_load_si512(codes + t * codes_stride + i),
                        value);
            for (size_t j = 0; j < 4; j++)
                sum[j] = _mm512_add_ps(sum[j], _mm512_castsi512_ps(value[j]));
        }
        for (size_t j = 0; j < 4; j++)
            _mm512_store_ps(sums + FLOATS * j, sum[j]);
    }
}

static inline void planes_add_floats(const uint8_t *const *tables, size_t count,
                                     uint32_t most_codes, const uint8_t *codes, size_t codes_stride,
                                     size_t n_codes, float *sums) {
#define ADD(n_tables)                                                                              \
    if (most_codes <= TABLE * (n_tables)) {                                                        \
        if (count == PLANES_BUNDLE)                                                                \
            add_tables(tables, PLANES_BUNDLE, n_tables, codes, codes_stride, n_codes, sums);       \
        else                                                                                       \
            add_tables(tables, count, n_tables, codes, codes_stride, n_codes, sums);               \
        return;                                                                                    \
    }
    ADD(1)
    ADD(2)
    ADD(4)
#undef ADD
}

/* Documents lie so that doubles, which unpack once more, come out in order: document_at. In floats,
 * of the four sums of a quarter two are of each of two registers of doubles. */
static inline void planes_add_sums(const float *sums, size_t n_codes, double *column) {
    const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    for (size_t i = 0; i < n_codes; i += FLOATS) {
        __m512i pairs = _mm512_permutexvar_epi64(halves, _mm512_load_si512(sums + i));
        for (int half = 0; half < 2; half++) {
            __m256i eight =
                half ? _mm512_extracti64x4_epi64(pairs, 1) : _mm512_castsi512_si256(pairs);
            double *place = column + i + FLOATS / 2 * (size_t)half;
            __m512d sum = _mm512_cvtps_pd(_mm256_castsi256_ps(eight));
            _mm512_store_pd(place, _mm512_add_pd(_mm512_load_pd(place), sum));
        }
    }
}

#endif
