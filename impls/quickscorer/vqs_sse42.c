/* vQS-128 (lettich2018 sections 4.1 and 4.3): 4 documents at once, with SSE4.2.
 *
 * A node that is false for any of the 4 documents costs 15 operations with 32-bit leaf sets, and 22
 * with 64-bit leaf sets. That is 2.5 and 3.7 cycles at 6 operations per cycle; Zen 3 takes 3.3 and
 * 4.5 (docs/floors.md). */
#include "base/cpu.h"
#include "impls/quickscorer/qs_model.h"

#include <immintrin.h>

enum { VQS_LANES = 4, VQS_MASKED_STORE = 0 };
typedef __m128 vqs_floats;
typedef __m128 vqs_lanes; /* all bits of a document's lane are set, or none */

static const unsigned vqs_order_64[VQS_LANES] = {0, 1, 2, 3};

QS_INLINE vqs_floats vqs_load(const float *const *rows, uint32_t feature) {
    return _mm_setr_ps(rows[0][feature], rows[1][feature], rows[2][feature], rows[3][feature]);
}

QS_INLINE vqs_lanes vqs_false_for(vqs_floats x, float threshold, bool nan_left) {
    __m128 t = _mm_set1_ps(threshold);
    return nan_left ? _mm_cmpgt_ps(x, t) : _mm_cmpnle_ps(x, t);
}

QS_INLINE bool vqs_any(vqs_lanes false_for) {
    __m128i bits = _mm_castps_si128(false_for);
    return !_mm_test_all_zeros(bits, bits);
}

/* For the documents in `false_for`, clears the bits that are not in `mask`. */
QS_INLINE void keep(__m128i *sets, __m128i mask, __m128 false_for) {
    __m128i gone = _mm_andnot_si128(mask, _mm_castps_si128(false_for));
    _mm_store_si128(sets, _mm_andnot_si128(gone, _mm_load_si128(sets)));
}

QS_INLINE void vqs_keep_32(uint32_t *sets, uint32_t mask, vqs_lanes false_for, bool masked) {
    (void)masked;
    keep((__m128i *)sets, _mm_set1_epi32((int)mask), false_for);
}

QS_INLINE void vqs_keep_64(uint64_t *sets, uint64_t mask, vqs_lanes false_for) {
    __m128i masks = _mm_set1_epi64x((long long)mask);
    keep((__m128i *)sets, masks, _mm_unpacklo_ps(false_for, false_for));
    keep((__m128i *)sets + 1, masks, _mm_unpackhi_ps(false_for, false_for));
}

#include "impls/quickscorer/vqs_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 4,
                   .step = {.always = 20, .node = 0.53, .feature = 6.5},
                   .document = {.tree = 0.82}},
    [IMPL_NO_VBMI] = {.lanes = 4,
                      .step = {.always = 150, .node = 0.76, .feature = 6},
                      .document = {.tree = 1.07}}};

const struct impl impl_vqs_sse = {.name = "vqs-sse",
                                  .title = "vQS-128",
                                  .source = "lettich2018 section 4.1",
                                  .params = qs_params,
                                  .cpu = CPU_SSE42,
                                  .build = vqs_build,
                                  .costs = costs,
                                  VQS_FACTS};
