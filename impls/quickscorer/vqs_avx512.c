/* V-QUICKSCORER (lettich2018 section 4) for 16 documents at once, with AVX-512. The paper stops at
 * 8 documents. A comparison gives a mask register with one bit per document. The bits need not be
 * widened to the size of the leaf sets, because masked instructions accept them as they are.
 *
 * A node that is false for any of the 16 documents costs 12 operations with 32-bit leaf sets, and
 * 18 with 64-bit leaf sets. That is 1.5 and 2.3 cycles at 8 operations per cycle; Zen 5 takes 3.5
 * and 5.6 (docs/floors.md). */
#include "base/cpu.h"
#include "impls/quickscorer/qs_model.h"
#include "impls/shared/avx512.h"

enum { VQS_LANES = 16, VQS_MASKED_STORE = 0 };
typedef __m512 vqs_floats;
typedef __mmask16 vqs_lanes;

static const unsigned vqs_order_64[VQS_LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};

QS_INLINE vqs_floats vqs_load(const float *const *rows, uint32_t feature) {
    return _mm512_setr_ps(rows[0][feature], rows[1][feature], rows[2][feature], rows[3][feature],
                          rows[4][feature], rows[5][feature], rows[6][feature], rows[7][feature],
                          rows[8][feature], rows[9][feature], rows[10][feature], rows[11][feature],
                          rows[12][feature], rows[13][feature], rows[14][feature],
                          rows[15][feature]);
}

QS_INLINE vqs_lanes vqs_false_for(vqs_floats x, float threshold, bool nan_left) {
    __m512 t = _mm512_set1_ps(threshold);
    return nan_left ? _mm512_cmp_ps_mask(x, t, _CMP_GT_OQ) : _mm512_cmp_ps_mask(x, t, _CMP_NLE_UQ);
}

QS_INLINE bool vqs_any(vqs_lanes false_for) {
    return false_for != 0;
}

/* The leaf sets of documents outside `false_for` are ANDed with ones, which keeps every bit. A
 * masked AND would be simpler, but gcc would turn it and the store into a masked store. Masked
 * stores do not forward to loads that follow closely. */
QS_INLINE void vqs_keep_32(uint32_t *sets, uint32_t mask, vqs_lanes false_for, bool masked) {
    (void)masked;
    __m512i stay = _mm512_mask_set1_epi32(_mm512_set1_epi32(-1), false_for, (int)mask);
    _mm512_store_si512(sets, _mm512_and_si512(stay, _mm512_load_si512(sets)));
}

QS_INLINE void keep_8(uint64_t *sets, uint64_t mask, __mmask8 false_for) {
    __m512i stay = _mm512_mask_set1_epi64(_mm512_set1_epi64(-1), false_for, (long long)mask);
    _mm512_store_si512(sets, _mm512_and_si512(stay, _mm512_load_si512(sets)));
}

QS_INLINE void vqs_keep_64(uint64_t *sets, uint64_t mask, vqs_lanes false_for) {
    keep_8(sets, mask, (__mmask8)false_for);
    keep_8(sets + 8, mask, (__mmask8)_kshiftri_mask16(false_for, 8));
}

#include "impls/quickscorer/vqs_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {
        .lanes = 16,
        .step = {.always = 20, .node = 0.8, .wide_node = 0.5, .far_node = 0.15, .feature = 7.5},
        .document = {.tree = 0.27}}};

const struct impl impl_vqs_avx512 = {.name = "vqs-avx512",
                                     .title = "vQS-512",
                                     .source = "-",
                                     .params = qs_params,
                                     .cpu = CPU_AVX512,
                                     .build = vqs_build,
                                     .costs = costs,
                                     VQS_FACTS};
