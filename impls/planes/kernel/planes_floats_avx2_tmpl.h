/* Values and sums in floats, in AVX2's registers. A permutation of 16 bytes looks up one byte of a
 * value for 32 documents. Unpacking joins the bytes of a value. docs/floors.md counts instructions.
 * Trees of more than 64 codes use doubles, because loading doubles is then faster.
 *
 * The includer defines the same names as for planes_avx2_tmpl.h. */
#include "impls/planes/kernel/planes_tables.h"

enum { KERNEL_FLOAT_VALUES = 16 };

typedef __m256 kernel_floats;

enum { KERNEL_SIXTEENS = 4 }; /* the most groups of sixteen values that a tree has */

/* For each group of sixteen values of a tree, finds the places of 32 codes in that group. If a
 * code's value is in another group, the highest bit of the code's place is set, and the permutation
 * gives 0. */
static inline void kernel_find_places(__m256i code, uint32_t n_sixteens,
                                      __m256i place[KERNEL_SIXTEENS]) {
    const __m256i beyond = _mm256_set1_epi8(0x80 - KERNEL_FLOAT_VALUES);
    place[0] = code;
    for (uint32_t i = 0; n_sixteens > 1 && i < n_sixteens; i++) {
        __m256i other = _mm256_xor_si256(code, _mm256_set1_epi8((char)(KERNEL_FLOAT_VALUES * i)));
        place[i] = _mm256_add_epi8(other, beyond);
    }
}

/* The empty asm makes gcc look up one group after the other. Without it, gcc would load all groups
 * at once and spill registers. */
static inline __m256i kernel_find_bytes(const uint8_t *bytes, uint32_t n_sixteens,
                                        const __m256i place[KERNEL_SIXTEENS]) {
    __m256i found = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n_sixteens; i++) {
        const __m128i *from = (const __m128i *)(bytes + KERNEL_FLOAT_VALUES * i);
        __m256i sixteen = _mm256_broadcastsi128_si256(_mm_load_si128(from));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen, place[i]));
        __asm__("" : "+x"(found));
    }
    return found;
}

/* Unpacking handles each half of a register separately: value[i] has the values of the codes 4 i to
 * 4 i + 3 and 16 + 4 i to 16 + 4 i + 3. */
static inline void kernel_find_values(const uint8_t *tables, uint32_t n_values,
                                      const uint8_t *codes, kernel_floats value[4]) {
    const uint32_t n_sixteens = n_values / KERNEL_FLOAT_VALUES;
    __m256i place[KERNEL_SIXTEENS], byte[sizeof(float)];
    kernel_find_places(_mm256_load_si256((const __m256i *)codes), n_sixteens, place);
    for (uint32_t i = 0; i < sizeof(float); i++)
        byte[i] = kernel_find_bytes(tables + planes_table_place(0, i), n_sixteens, place);
    __m256i low = _mm256_unpacklo_epi8(byte[0], byte[1]);
    __m256i high = _mm256_unpacklo_epi8(byte[2], byte[3]);
    value[0] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, high));
    value[1] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, high));
    low = _mm256_unpackhi_epi8(byte[0], byte[1]);
    high = _mm256_unpackhi_epi8(byte[2], byte[3]);
    value[2] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, high));
    value[3] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, high));
}

/* See kernel_add_sums. */
static inline size_t kernel_float_at(size_t place) {
    return (place & ~(size_t)31) | (place >> 2 & 3) << 3 | (place >> 4 & 1) << 2 | (place & 3);
}

/* Adds four float sums to four consecutive sums of the column. */
static inline void kernel_add_four(__m128 four, double *column) {
    __m256d sum = _mm256_add_pd(_mm256_load_pd(column), _mm256_cvtps_pd(four));
    _mm256_store_pd(column, sum);
}

static inline void kernel_add_sums(const float *sums, size_t n_codes, double *column) {
    for (size_t i = 0; i < n_codes; i += KERNEL_QUARTET)
        for (size_t j = 0; j < 4; j++) {
            __m256 eight = _mm256_load_ps(sums + i + KERNEL_LANES * j);
            kernel_add_four(_mm256_castps256_ps128(eight), column + i + 4 * j);
            kernel_add_four(_mm256_extractf128_ps(eight, 1),
                            column + i + KERNEL_QUARTET / 2 + 4 * j);
        }
}

#include "impls/planes/kernel/planes_floats_tmpl.h"
