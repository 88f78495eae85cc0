/* Bit planes in AVX-512's registers, 512 documents a block.
 *
 * Steps C and D are the kernel's; compilers make one vpternlog of a node. Values are doubles, but
 * looked up as two halves of 32 bits, since a permutation finds one of 32 words at once and one of
 * only 16 double words: for 64 codes and 16 documents, 1 shuffle spreads the codes, 4 permutations
 * and 2 blends look both halves up, 1 test makes the blends' mask, 2 unpacks join the halves. */
#ifndef IMPLS_PLANES_AVX512_H
#define IMPLS_PLANES_AVX512_H

#include "impls/planes_types.h"

#ifndef SIMULATED_AVX512 /* by a test, which brings stand-ins */
#include <immintrin.h>
#endif

#include "impls/planes_read_avx2.h"

#define PLANES_REGISTER 64
#define PLANES_PARTS 1
#define PLANES_FAN_BITS 4
#define PLANES_ADD_TREE

/* The last of 16 keys is INT32_MAX, which none is greater than. */
static inline uint32_t planes_child(const int32_t *node, int32_t key) {
    __mmask16 less = _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(key), _mm512_load_si512(node));
    return (uint32_t)__builtin_popcount(less);
}

/* Halves of 32 values, by their codes. */
struct halves {
    __m512i low[2], high[2];
};

static inline __m512i every_second(__m512i a, __m512i b, int first) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(first)), b);
}

static inline struct halves load_halves(const double *values) {
    struct halves halves;
    for (int i = 0; i < 2; i++) {
        __m512i a = _mm512_loadu_si512(values + 16 * i),
                b = _mm512_loadu_si512(values + 16 * i + 8);
        halves.low[i] = every_second(a, b, 0);
        halves.high[i] = every_second(a, b, 1);
    }
    return halves;
}

/* The codes of 16 documents, in an order for which unpacking 32-bit halves gives the documents'
 * own: unpacking takes the words 0, 1, 4, 5, 8, ... for its first result. */
static inline __m512i load_codes(const uint8_t *codes) {
    const int none = (int)0x80808000u; /* zeros for three bytes of a word */
    const __m512i place = _mm512_setr_epi32(
        none | 0, none | 1, none | 8, none | 9, none | 2, none | 3, none | 10, none | 11, none | 4,
        none | 5, none | 12, none | 13, none | 6, none | 7, none | 14, none | 15);
    __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)codes);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(sixteen), place);
}

static inline void add_halves(double *scores, __m512i low, __m512i high) {
    __m512d first = _mm512_castsi512_pd(_mm512_unpacklo_epi32(low, high));
    __m512d second = _mm512_castsi512_pd(_mm512_unpackhi_epi32(low, high));
    _mm512_storeu_pd(scores, _mm512_add_pd(_mm512_loadu_pd(scores), first));
    _mm512_storeu_pd(scores + 8, _mm512_add_pd(_mm512_loadu_pd(scores + 8), second));
}

static inline void add_of_32(const double *values, const uint8_t *codes, size_t n_docs,
                             double *scores) {
    const struct halves table = load_halves(values);
    for (size_t doc = 0; doc < n_docs; doc += 16) {
        __m512i code = load_codes(codes + doc);
        add_halves(scores + doc, _mm512_permutex2var_epi32(table.low[0], code, table.low[1]),
                   _mm512_permutex2var_epi32(table.high[0], code, table.high[1]));
    }
}

static inline void add_of_64(const double *values, const uint8_t *codes, size_t n_docs,
                             double *scores) {
    const struct halves table = load_halves(values), upper = load_halves(values + 32);
    for (size_t doc = 0; doc < n_docs; doc += 16) {
        __m512i code = load_codes(codes + doc);
        __mmask16 is_upper = _mm512_test_epi32_mask(code, _mm512_set1_epi32(32));
        __m512i low = _mm512_permutex2var_epi32(table.low[0], code, table.low[1]);
        __m512i high = _mm512_permutex2var_epi32(table.high[0], code, table.high[1]);
        __m512i upper_low = _mm512_permutex2var_epi32(upper.low[0], code, upper.low[1]);
        __m512i upper_high = _mm512_permutex2var_epi32(upper.high[0], code, upper.high[1]);
        add_halves(scores + doc, _mm512_mask_blend_epi32(is_upper, low, upper_low),
                   _mm512_mask_blend_epi32(is_upper, high, upper_high));
    }
}

static inline void planes_add_tree(const double *values, uint32_t n_groups, const uint8_t *codes,
                                   size_t n_docs, double *scores) {
    if (n_groups <= 32 / PLANES_GROUP)
        add_of_32(values, codes, n_docs, scores);
    else if (n_groups <= 64 / PLANES_GROUP)
        add_of_64(values, codes, n_docs, scores);
    else
        for (size_t doc = 0; doc < n_docs; doc++)
            scores[doc] += values[codes[doc]];
}

#endif
