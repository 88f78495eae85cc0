/* Values and sums in floats, in AVX-512's registers. Values are looked up like doubles
 * (planes_vbmi_tmpl.h), with half the bytes and one round of unpacking less.
 *
 * For 64 documents, a tree of up to 64 leaves takes a load of codes, 4 permutations, 8 unpackings
 * and 4 additions. Four trees share 4 loads and 4 stores of sums. Doubles take 8 permutations, 24
 * unpackings and 8 additions, and each tree has 8 loads and 8 stores of sums.
 *
 * The includer defines the same names as for planes_vbmi_tmpl.h. */
#include "impls/planes/kernel/planes_tables.h"

enum { KERNEL_FLOAT_VALUES = PLANES_VALUE_TABLE };

typedef __m512 kernel_floats;

static inline __m512i kernel_find_bytes(const uint8_t *bytes, uint32_t n_tables, __m512i code) {
    __m512i table[KERNEL_TABLES];
    for (uint32_t i = 0; i < n_tables; i++)
        table[i] = _mm512_load_si512(bytes + planes_table_place(KERNEL_FLOAT_VALUES * i, 0));
    if (n_tables == 1)
        return _mm512_permutexvar_epi8(code, table[0]);
    __m512i low = _mm512_permutex2var_epi8(table[0], code, table[1]);
    if (n_tables == 2)
        return low;
    __m512i high = _mm512_permutex2var_epi8(table[2], code, table[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high);
}

/* Quarter q of value[i] has the values of the codes 16 q + 4 i to 16 q + 4 i + 3. */
static inline void kernel_find_values(const uint8_t *tables, uint32_t n_values,
                                      const uint8_t *codes, kernel_floats value[4]) {
    const __m512i code = _mm512_load_si512(codes);
    __m512i byte[sizeof(float)];
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = kernel_find_bytes(tables + planes_table_place(0, i),
                                    n_values / KERNEL_FLOAT_VALUES, code);
    __m512i low = _mm512_unpacklo_epi8(byte[0], byte[1]);
    __m512i high = _mm512_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(low, high));
    value[1] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(low, high));
    low = _mm512_unpackhi_epi8(byte[0], byte[1]);
    high = _mm512_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm512_castsi512_ps(_mm512_unpacklo_epi16(low, high));
    value[3] = _mm512_castsi512_ps(_mm512_unpackhi_epi16(low, high));
}

/* See kernel_add_sums. */
static inline size_t kernel_float_at(size_t place) {
    return (place & ~(size_t)15) | (place >> 1 & 3) << 2 | (place >> 3 & 1) << 1 | (place & 1);
}

/* Documents are arranged so that doubles, which are unpacked once more than floats, come out in
 * order (kernel_document_at). Two of the four float sums of a quarter belong to one register of
 * doubles, and two to another. */
static inline void kernel_add_sums(const float *sums, size_t n_codes, double *column) {
    const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    for (size_t i = 0; i < n_codes; i += KERNEL_LANES) {
        __m512i pairs = _mm512_permutexvar_epi64(halves, _mm512_load_si512(sums + i));
        for (int half = 0; half < 2; half++) {
            __m256i eight =
                half ? _mm512_extracti64x4_epi64(pairs, 1) : _mm512_castsi512_si256(pairs);
            double *place = column + i + KERNEL_LANES / 2 * (size_t)half;
            __m512d sum = _mm512_cvtps_pd(_mm256_castsi256_ps(eight));
            _mm512_store_pd(place, _mm512_add_pd(_mm512_load_pd(place), sum));
        }
    }
}

#include "impls/planes/kernel/planes_floats_tmpl.h"
