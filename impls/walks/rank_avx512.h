/* Makes the bytes of a document with AVX-512. `treebench export` copies this file too. */
#ifndef IMPLS_WALKS_RANK_AVX512_H
#define IMPLS_WALKS_RANK_AVX512_H

#include "impls/shared/avx512.h"
#include "impls/walks/rank_bytes_types.h"

#define RANK_INLINE static inline __attribute__((always_inline))

/* Like float_key for 16 values, given by their bits, except that the key of NaN is `nan`. */
RANK_INLINE __m512i rank_keys_of(__m512i bits, int32_t nan) {
    const __m512i infinity = _mm512_set1_epi32(0x7f800000);
    __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX));
    __m512i keys = _mm512_mask_sub_epi32(magnitude, _mm512_movepi32_mask(bits),
                                         _mm512_setzero_si512(), magnitude);
    return _mm512_mask_mov_epi32(keys, _mm512_cmpgt_epi32_mask(magnitude, infinity),
                                 _mm512_set1_epi32(nan));
}

static void rank_make_keys(const struct rank_view *view, const float *x, int32_t *keys) {
    size_t side = (size_t)view->n_groups * RANK_KEYS;
    for (uint32_t g = 0; g < view->n_groups; g++) {
        const struct rank_group *group = &view->groups[g];
        __m512i values = _mm512_maskz_loadu_epi32(group->present, x + group->feature);
        _mm512_store_si512(keys + (size_t)g * RANK_KEYS, rank_keys_of(values, INT32_MAX));
        if (view->two_sides)
            _mm512_store_si512(keys + side + (size_t)g * RANK_KEYS,
                               rank_keys_of(values, INT32_MIN));
    }
}

RANK_INLINE uint32_t rank_count_less(const int32_t *keys, __m512i key) {
    __mmask16 less = _mm512_cmpgt_epi32_mask(key, _mm512_load_si512(keys));
    return (uint32_t)__builtin_popcount(less);
}

/* Copies the view's pointers to local variables, because a compiler must assume that stores of
 * bytes change the view. Not inlined, because gcc would run out of registers. */
static __attribute__((noinline)) void rank_make_bytes(const struct rank_view *view,
                                                      const int32_t *keys, uint8_t *bytes) {
    const struct rank_column *columns = view->columns;
    const int32_t *thresholds = view->keys;
    uint32_t c = 0, n_small = view->n_small, n_columns = view->n_columns;
    for (; c < n_small; c++) {
        __m512i key = _mm512_set1_epi32(keys[columns[c].source]);
        bytes[c] = (uint8_t)rank_count_less(thresholds + columns[c].first_key, key);
    }
    for (; c < n_columns; c++) {
        const int32_t *lines = thresholds + columns[c].first_key;
        __m512i key = _mm512_set1_epi32(keys[columns[c].source]);
        uint32_t before = RANK_KEYS * rank_count_less(lines, key);
        bytes[c] = (uint8_t)(before + rank_count_less(lines + RANK_KEYS + before, key));
    }
}

#endif
