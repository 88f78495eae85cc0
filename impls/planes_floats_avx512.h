/* Values and sums in floats, in AVX-512's registers: as with doubles (planes_avx512.h), of half as
 * many bytes, which are unpacked once less.
 *
 * For a tree of up to 64 leaves and 64 documents: a load of codes, 4 permutations, 8 times
 * unpacking, 4 additions, and for four trees 4 loads and 4 stores of sums; with doubles 8, 24 and
 * 8, and 8 loads and 8 stores for each tree. */
#ifndef IMPLS_PLANES_FLOATS_AVX512_H
#define IMPLS_PLANES_FLOATS_AVX512_H

#include "impls/planes_avx512.h"
#include "impls/planes_tables.h"

#define FLOAT_VALUES 64
_Static_assert((int)FLOAT_VALUES == (int)PLANES_VALUE_TABLE, "a table's bytes lie side by side");

typedef __m512 floats;

static inline __m512i find_bytes(const uint8_t *bytes, uint32_t n_tables, __m512i code) {
    __m512i table[TABLES];
    for (uint32_t i = 0; i < n_tables; i++)
        table[i] = _mm512_load_si512(bytes + planes_table_place(FLOAT_VALUES * i, 0));
    if (n_tables == 1)
        return _mm512_permutexvar_epi8(code, table[0]);
    __m512i low = _mm512_permutex2var_epi8(table[0], code, table[1]);
    if (n_tables == 2)
        return low;
    __m512i high = _mm512_permutex2var_epi8(table[2], code, table[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high);
}

/* In quarter q of value[i] are those of the codes 16 q + 4 i to 16 q + 4 i + 3. */
static inline void find_values(const uint8_t *tables, uint32_t n_values, const uint8_t *codes,
                               floats value[4]) {
    const __m512i code = _mm512_load_si512(codes);
    __m512i byte[sizeof(float)];
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = find_bytes(tables + planes_table_place(0, i), n_values / FLOAT_VALUES, code);
    __m512i low = _mm512_unpacklo_epi8(byte[0], byte[1]);
    __m512i high = _mm512_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(low, high));
    value[1] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(low, high));
    low = _mm512_unpackhi_epi8(byte[0], byte[1]);
    high = _mm512_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(low, high));
    value[3] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(low, high));
}

/* Documents lie so that doubles, which unpack once more, come out in order: document_at. In floats,
 * of the four sums of a quarter two are of each of two registers of doubles. */
static inline void planes_add_sums(const float *sums, size_t n_codes, double *column) {
    const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    for (size_t i = 0; i < n_codes; i += LANES) {
        __m512i pairs = _mm512_permutexvar_epi64(halves, _mm512_load_si512(sums + i));
        for (int half = 0; half < 2; half++) {
            __m256i eight =
                half ? _mm512_extracti64x4_epi64(pairs, 1) : _mm512_castsi512_si256(pairs);
            double *place = column + i + LANES / 2 * (size_t)half;
            __m512d sum = _mm512_cvtps_pd(_mm256_castsi256_ps(eight));
            _mm512_store_pd(place, _mm512_add_pd(_mm512_load_pd(place), sum));
        }
    }
}

#include "impls/planes_floats.h"

#endif
