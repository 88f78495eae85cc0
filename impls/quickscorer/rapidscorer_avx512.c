/* RapidScorer with AVX-512: 64 documents per step. An op (rapidscorer_model.h) takes 13
 * instructions, including 3 vector loads, one vector operation and one vector store. That is 1.5
 * cycles if the processor does 2 vector loads per cycle and all data is in L1. */
#include "base/cpu.h"
#include "impls/shared/avx512.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAPID_LANES = 64 };

typedef __m512i rapid_bytes;

static inline rapid_bytes rapid_set(uint8_t value) {
    return _mm512_set1_epi8((char)value);
}

static inline rapid_bytes rapid_load(const uint8_t *from) {
    return _mm512_load_si512(from);
}

static inline void rapid_store(uint8_t *to, rapid_bytes value) {
    _mm512_store_si512(to, value);
}

static inline rapid_bytes rapid_decrement(rapid_bytes value) {
    return _mm512_sub_epi8(value, _mm512_set1_epi8(1));
}

static inline bool rapid_are_all_ones(rapid_bytes value) {
    return _mm512_movepi8_mask(value) == UINT64_MAX;
}

static inline rapid_bytes rapid_clear(rapid_bytes row, rapid_bytes passed, uint8_t keep) {
    enum { A_AND_B_OR_C = 0xe0 };
    return _mm512_ternarylogic_epi32(row, passed, rapid_set(keep), A_AND_B_OR_C);
}

struct rapid_exits {
    rapid_bytes byte, row;
};

static inline struct rapid_exits rapid_exits_see(struct rapid_exits exits, rapid_bytes row,
                                                 rapid_bytes number) {
    __mmask64 left = _mm512_test_epi8_mask(row, row);
    return (struct rapid_exits){_mm512_mask_blend_epi8(left, exits.byte, row),
                                _mm512_mask_blend_epi8(left, exits.row, number)};
}

/* One table has the result for each lower hexadecimal digit, and the other for each upper digit.
 * Both tables have 8 for the digit 0, so the smaller result is right. */
static inline rapid_bytes rapid_exits_bit(struct rapid_exits exits) {
    const rapid_bytes of_lower =
        _mm512_broadcast_i32x4(_mm_setr_epi8(8, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0));
    const rapid_bytes of_upper =
        _mm512_broadcast_i32x4(_mm_setr_epi8(8, 4, 5, 4, 6, 4, 5, 4, 7, 4, 5, 4, 6, 4, 5, 4));
    const rapid_bytes digit = rapid_set(15);
    rapid_bytes lower = _mm512_and_si512(exits.byte, digit);
    rapid_bytes upper = _mm512_and_si512(_mm512_srli_epi16(exits.byte, 4), digit);
    return _mm512_min_epu8(_mm512_shuffle_epi8(of_lower, lower),
                           _mm512_shuffle_epi8(of_upper, upper));
}

static inline rapid_bytes rapid_exits_leaf(struct rapid_exits exits) {
    rapid_bytes first = _mm512_and_si512(_mm512_slli_epi16(exits.row, 3), rapid_set(0xf8));
    return _mm512_or_si512(rapid_exits_bit(exits), first);
}

struct rapid_column {
    __m512 x[4];
};

static inline size_t rapid_column_place(size_t lane) {
    return lane;
}

/* If NaN goes left, replaces NaN by -infinity, which passes every test. vmaxps returns the second
 * operand if one operand is NaN. */
static inline struct rapid_column rapid_column_load(const float *from, bool nan_left) {
    struct rapid_column column;
    for (int i = 0; i < 4; i++)
        column.x[i] = _mm512_load_ps(from + 16 * i);
    if (nan_left)
        for (int i = 0; i < 4; i++)
            column.x[i] = _mm512_max_ps(column.x[i], _mm512_set1_ps(-INFINITY));
    return column;
}

static inline rapid_bytes rapid_column_passes(const struct rapid_column *column, float threshold) {
    const __m512 t = _mm512_set1_ps(threshold);
    __mmask16 pass[4];
    for (int i = 0; i < 4; i++)
        pass[i] = _mm512_cmp_ps_mask(column->x[i], t, _CMP_LE_OQ);
    __mmask32 low = _mm512_kunpackw(pass[1], pass[0]), high = _mm512_kunpackw(pass[3], pass[2]);
    return _mm512_movm_epi8(_mm512_kunpackd(high, low));
}

#include "impls/quickscorer/rapidscorer_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 64,
                   .step = {.always = 100, .tree = 26, .node = 1.7, .far_node = 0.8, .feature = 29},
                   .document = {.node = 0.006}}};

const struct impl impl_rapidscorer_avx512 = {.name = "rapidscorer-avx512",
                                             .title = "RapidScorer (AVX-512)",
                                             .cpu = CPU_AVX512,
                                             .costs = costs,
                                             RAPID_FACTS};
