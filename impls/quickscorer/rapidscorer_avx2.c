/* RapidScorer with AVX2: 64 documents per step, in pairs of registers. A row (rapidscorer_model.h)
 * of 64 documents fills a cache line. Each op is read once for 64 documents; with single registers,
 * it would be read once for every 32. */
#include "base/cpu.h"

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAPID_LANES = 64 };

typedef struct {
    __m256i half[2];
} rapid_bytes;

static inline rapid_bytes rapid_set(uint8_t value) {
    __m256i all = _mm256_set1_epi8((char)value);
    return (rapid_bytes){{all, all}};
}

static inline rapid_bytes rapid_load(const uint8_t *from) {
    return (rapid_bytes){{_mm256_load_si256((const __m256i *)(const void *)from),
                          _mm256_load_si256((const __m256i *)(const void *)(from + 32))}};
}

static inline void rapid_store(uint8_t *to, rapid_bytes value) {
    _mm256_store_si256((__m256i *)(void *)to, value.half[0]);
    _mm256_store_si256((__m256i *)(void *)(to + 32), value.half[1]);
}

static inline bool rapid_are_all_ones(rapid_bytes value) {
    return _mm256_movemask_epi8(_mm256_and_si256(value.half[0], value.half[1])) == -1;
}

static inline rapid_bytes rapid_clear(rapid_bytes row, rapid_bytes passed, uint8_t keep) {
    const __m256i kept = _mm256_set1_epi8((char)keep);
    for (int i = 0; i < 2; i++)
        row.half[i] = _mm256_and_si256(row.half[i], _mm256_or_si256(passed.half[i], kept));
    return row;
}

struct rapid_exits {
    rapid_bytes byte, row;
};

static inline struct rapid_exits rapid_exits_see(struct rapid_exits exits, rapid_bytes row,
                                                 rapid_bytes number) {
    for (int i = 0; i < 2; i++) {
        __m256i empty = _mm256_cmpeq_epi8(row.half[i], _mm256_setzero_si256());
        exits.byte.half[i] = _mm256_blendv_epi8(row.half[i], exits.byte.half[i], empty);
        exits.row.half[i] = _mm256_blendv_epi8(number.half[i], exits.row.half[i], empty);
    }
    return exits;
}

static inline rapid_bytes rapid_decrement(rapid_bytes value) {
    const __m256i one = _mm256_set1_epi8(1);
    return (rapid_bytes){
        {_mm256_sub_epi8(value.half[0], one), _mm256_sub_epi8(value.half[1], one)}};
}

/* The number of the lowest set bit in each byte. One table has the result for each lower
 * hexadecimal digit, and the other for each upper digit. Both tables have 8 for the digit 0, so the
 * smaller result is right. */
static inline __m256i lowest_bits(__m256i byte) {
    const __m256i of_lower =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(8, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0));
    const __m256i of_upper =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(8, 4, 5, 4, 6, 4, 5, 4, 7, 4, 5, 4, 6, 4, 5, 4));
    const __m256i digit = _mm256_set1_epi8(15);
    __m256i lower = _mm256_and_si256(byte, digit);
    __m256i upper = _mm256_and_si256(_mm256_srli_epi16(byte, 4), digit);
    return _mm256_min_epu8(_mm256_shuffle_epi8(of_lower, lower),
                           _mm256_shuffle_epi8(of_upper, upper));
}

static inline rapid_bytes rapid_exits_bit(struct rapid_exits exits) {
    return (rapid_bytes){{lowest_bits(exits.byte.half[0]), lowest_bits(exits.byte.half[1])}};
}

static inline rapid_bytes rapid_exits_leaf(struct rapid_exits exits) {
    rapid_bytes leaf = rapid_exits_bit(exits);
    for (int i = 0; i < 2; i++) {
        __m256i first =
            _mm256_and_si256(_mm256_slli_epi16(exits.row.half[i], 3), _mm256_set1_epi8((char)0xf8));
        leaf.half[i] = _mm256_or_si256(leaf.half[i], first);
    }
    return leaf;
}

/* Packing interleaves the halves of registers. Therefore, for i < 4, the lower half of x[i] has the
 * documents 4i to 4i + 3, and the upper half has the documents 16 + 4i to 16 + 4i + 3. x[4 + i] has
 * the documents 32 further on. */
struct rapid_column {
    __m256 x[8];
};

static inline size_t rapid_column_place(size_t lane) {
    return (lane & 32u) | (lane >> 2 & 3u) << 3 | (lane >> 4 & 1u) << 2 | (lane & 3u);
}

/* If NaN goes left, replaces NaN by -infinity, which passes every test. vmaxps returns the second
 * operand if one operand is NaN. */
static inline __m256 load_x(const float *from, bool nan_left) {
    __m256 x = _mm256_load_ps(from);
    return nan_left ? _mm256_max_ps(x, _mm256_set1_ps(-INFINITY)) : x;
}

static inline struct rapid_column rapid_column_load(const float *from, bool nan_left) {
    return (struct rapid_column){{load_x(from, nan_left), load_x(from + 8, nan_left),
                                  load_x(from + 16, nan_left), load_x(from + 24, nan_left),
                                  load_x(from + 32, nan_left), load_x(from + 40, nan_left),
                                  load_x(from + 48, nan_left), load_x(from + 56, nan_left)}};
}

static inline __m256i pack_passes(const __m256 *x, __m256 threshold) {
    __m256i four[4];
    for (int i = 0; i < 4; i++)
        four[i] = _mm256_castps_si256(_mm256_cmp_ps(x[i], threshold, _CMP_LE_OQ));
    return _mm256_packs_epi16(_mm256_packs_epi32(four[0], four[1]),
                              _mm256_packs_epi32(four[2], four[3]));
}

static inline rapid_bytes rapid_column_passes(const struct rapid_column *column, float threshold) {
    const __m256 t = _mm256_set1_ps(threshold);
    return (rapid_bytes){{pack_passes(column->x, t), pack_passes(column->x + 4, t)}};
}

#include "impls/quickscorer/rapidscorer_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] =
        {.lanes = 64,
         .step = {.always = 100, .tree = 19, .node = 1.85, .far_node = 0.3, .feature = 29},
         .document = {.node = 0.004}},
    [IMPL_NO_VBMI] = {
        .lanes = 64,
        .step = {.always = 1070, .tree = 36.5, .node = 2.24, .far_node = 0.5, .feature = 31},
        .document = {.node = 0.011}}};

const struct impl impl_rapidscorer = {
    .name = "rapidscorer", .title = "RapidScorer", .cpu = CPU_AVX2, .costs = costs, RAPID_FACTS};
