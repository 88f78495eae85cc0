/* Reading documents for bit planes: 8 x 8 values transposed in registers. */
#ifndef IMPLS_PLANES_READ_AVX2_H
#define IMPLS_PLANES_READ_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* planes_key (planes_types.h) of eight values. */
static inline __m256i planes_keys(__m256 values) {
    __m256i bits = _mm256_castps_si256(values), largest = _mm256_set1_epi32(INT32_MAX);
    __m256i magnitude = _mm256_and_si256(bits, largest), sign = _mm256_srai_epi32(bits, 31);
    __m256i key = _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
    __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    return _mm256_blendv_epi8(key, largest, _mm256_castps_si256(is_nan));
}

static inline void planes_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    __m256 row[8], pair[8], four[8];
    for (int i = 0; i < 4; i++) { /* rows i and i + 4 in the halves */
        const float *low = x + (size_t)i * stride, *high = low + 4 * stride;
        row[i] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
        row[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low + 4)),
                                          _mm_loadu_ps(high + 4), 1);
    }
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
            four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
        }
    for (size_t i = 0; i < 8; i++)
        _mm256_storeu_si256((__m256i *)(keys + i * keys_stride), planes_keys(four[i]));
}

#endif
