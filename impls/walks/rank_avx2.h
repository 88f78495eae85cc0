/* Makes the bytes of a document with AVX2, and looks them up. A byte is a rank minus 128, because
 * AVX2 compares signed bytes. */
#ifndef IMPLS_WALKS_RANK_AVX2_H
#define IMPLS_WALKS_RANK_AVX2_H

#include "impls/walks/rank_bytes_types.h"

#include <immintrin.h>

#define RANK_INLINE static inline __attribute__((always_inline))

enum { RANK_PART = 16, RANK_MAX_PARTS = 16 }; /* AVX2 looks up a byte among 16 */

/* Like float_key for 8 values, given by their bits, except that the key of NaN is `nan`. */
RANK_INLINE __m256i rank_keys_of(__m256i bits, int32_t nan) {
    __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MAX));
    __m256i sign = _mm256_srai_epi32(bits, 31);
    __m256i keys = _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
    return _mm256_blendv_epi8(keys, _mm256_set1_epi32(nan),
                              _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000)));
}

/* The values of the present ones of 8 features, 0 for the others. */
RANK_INLINE __m256i rank_load(const float *x, uint32_t present) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i of_lane = _mm256_and_si256(_mm256_set1_epi32((int)present), bits);
    return _mm256_maskload_epi32((const int *)(const void *)x, _mm256_cmpeq_epi32(of_lane, bits));
}

static void rank_make_keys(const struct rank_view *view, const float *x, int32_t *keys) {
    size_t side = (size_t)view->n_groups * RANK_KEYS;
    for (uint32_t g = 0; g < view->n_groups; g++)
        for (uint32_t half = 0; half < RANK_KEYS; half += 8) {
            const struct rank_group *group = &view->groups[g];
            __m256i values = rank_load(x + group->feature + half, group->present >> half);
            int32_t *to = keys + (size_t)g * RANK_KEYS + half;
            _mm256_store_si256((__m256i *)(void *)to, rank_keys_of(values, INT32_MAX));
            if (view->two_sides)
                _mm256_store_si256((__m256i *)(void *)(to + side), rank_keys_of(values, INT32_MIN));
        }
}

/* Twice the number of the RANK_KEYS keys of a line that are less than `key`. */
RANK_INLINE uint32_t rank_count_less(const int32_t *line, __m256i key) {
    const __m256i *keys = (const __m256i *)(const void *)line;
    __m256i low = _mm256_cmpgt_epi32(key, _mm256_load_si256(keys));
    __m256i high = _mm256_cmpgt_epi32(key, _mm256_load_si256(keys + 1));
    __m256i less = _mm256_packs_epi32(low, high);
    return (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(less));
}

static __attribute__((noinline)) void rank_make_bytes(const struct rank_view *view,
                                                      const int32_t *keys, uint8_t *bytes) {
    const struct rank_column *columns = view->columns;
    const int32_t *thresholds = view->keys;
    uint32_t c = 0, n_small = view->n_small, n_columns = view->n_columns;
    for (; c < n_small; c++) {
        __m256i key = _mm256_set1_epi32(keys[columns[c].source]);
        uint32_t less = rank_count_less(thresholds + columns[c].first_key, key);
        bytes[c] = (uint8_t)(less / 2 - 128);
    }
    for (; c < n_columns; c++) {
        const int32_t *lines = thresholds + columns[c].first_key;
        __m256i key = _mm256_set1_epi32(keys[columns[c].source]);
        uint32_t before = RANK_KEYS / 2 * rank_count_less(lines, key);
        uint32_t less = rank_count_less(lines + RANK_KEYS + before, key);
        bytes[c] = (uint8_t)(before + less / 2 - 128);
    }
}

/* --- looking up --------------------------------------------------------------------------------*/

/* These look up bytes in up to 1, 2, 4 or 8 parts from `p` on, of which there are n in all. The
 * highest bits of bit4, bit5 and bit6 are these bits of `column`. The result is 0 if the highest
 * bit of `column` is set. */
RANK_INLINE __m256i rank_look_up_2(const __m256i *parts, uint32_t n, uint32_t p, __m256i column,
                                   __m256i bit4) {
    __m256i low = _mm256_shuffle_epi8(parts[p], column);
    return p + 1 >= n ? low
                      : _mm256_blendv_epi8(low, _mm256_shuffle_epi8(parts[p + 1], column), bit4);
}

RANK_INLINE __m256i rank_look_up_4(const __m256i *parts, uint32_t n, uint32_t p, __m256i column,
                                   __m256i bit5, __m256i bit4) {
    __m256i low = rank_look_up_2(parts, n, p, column, bit4);
    return p + 2 >= n
               ? low
               : _mm256_blendv_epi8(low, rank_look_up_2(parts, n, p + 2, column, bit4), bit5);
}

RANK_INLINE __m256i rank_look_up_8(const __m256i *parts, uint32_t n, uint32_t p, __m256i column) {
    /* Shifts by additions, because shifts would compete with the look-ups for ports. */
    __m256i bit6 = _mm256_add_epi8(column, column), bit5 = _mm256_add_epi8(bit6, bit6);
    __m256i bit4 = _mm256_add_epi8(bit5, bit5);
    __m256i low = rank_look_up_4(parts, n, p, column, bit5, bit4);
    return p + 4 >= n
               ? low
               : _mm256_blendv_epi8(low, rank_look_up_4(parts, n, p + 4, column, bit5, bit4), bit6);
}

/* The document's bytes of 32 columns, whose bytes are n parts. */
RANK_INLINE __m256i rank_look_up(const __m256i *parts, uint32_t n, __m256i column) {
    __m256i low = rank_look_up_8(parts, n, 0, column);
    if (n <= 8)
        return low;
    __m256i others = _mm256_xor_si256(column, _mm256_set1_epi8(INT8_MIN));
    return _mm256_or_si256(low, rank_look_up_8(parts, n, 8, others));
}

RANK_INLINE void rank_load_parts(const uint8_t *bytes, uint32_t n, __m256i *parts) {
    for (uint32_t p = 0; p < n; p++)
        parts[p] = _mm256_broadcastsi128_si256(
            _mm_load_si128((const __m128i *)(const void *)(bytes + p * RANK_PART)));
}

#endif
