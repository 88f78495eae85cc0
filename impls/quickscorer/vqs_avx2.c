/* vQS-256 (lettich2018 sections 4.2 and 4.3): 8 documents at once, with AVX2.
 *
 * A node that is false for any of the 8 documents costs 12 operations with 32-bit leaf sets, and 17
 * with 64-bit leaf sets. That is 2.0 and 2.8 cycles at 6 operations per cycle; Zen 3 takes 3.0 and
 * 4.3 (docs/floors.md). */
#include "base/cpu.h"
#include "impls/quickscorer/qs_model.h"

#include <immintrin.h>
#include <string.h>

enum { VQS_LANES = 8, VQS_MASKED_STORE = 1 };
typedef __m256 vqs_floats;
typedef __m256 vqs_lanes; /* all bits of a document's lane are set, or none */

/* Unpacking works within the halves of a register. With this order of lanes, unpacking the low
 * lanes gives documents 0 to 3, and unpacking the high lanes gives documents 4 to 7. */
static const unsigned vqs_order_64[VQS_LANES] = {0, 1, 4, 5, 2, 3, 6, 7};

QS_INLINE vqs_floats vqs_load(const float *const *rows, uint32_t feature) {
    return _mm256_setr_ps(rows[0][feature], rows[1][feature], rows[2][feature], rows[3][feature],
                          rows[4][feature], rows[5][feature], rows[6][feature], rows[7][feature]);
}

QS_INLINE vqs_lanes vqs_false_for(vqs_floats x, float threshold, bool nan_left) {
    __m256 t = _mm256_set1_ps(threshold);
    return nan_left ? _mm256_cmp_ps(x, t, _CMP_GT_OQ) : _mm256_cmp_ps(x, t, _CMP_NLE_UQ);
}

QS_INLINE bool vqs_any(vqs_lanes false_for) {
    return _mm256_movemask_ps(false_for) != 0;
}

/* For the documents in `false_for`, clears the bits that are not in `mask`. */
QS_INLINE __m256i keep(__m256i sets, __m256i mask, __m256 false_for) {
    __m256i gone = _mm256_andnot_si256(mask, _mm256_castps_si256(false_for));
    return _mm256_andnot_si256(gone, sets);
}

QS_INLINE void vqs_keep_32(uint32_t *sets, uint32_t mask, vqs_lanes false_for, bool masked) {
    __m256i masks = _mm256_set1_epi32((int)mask), before = _mm256_load_si256((__m256i *)sets);
    if (masked)
        _mm256_maskstore_epi32((int *)sets, _mm256_castps_si256(false_for),
                               _mm256_and_si256(masks, before));
    else
        _mm256_store_si256((__m256i *)sets, keep(before, masks, false_for));
}

QS_INLINE void vqs_keep_64(uint64_t *sets, uint64_t mask, vqs_lanes false_for) {
    __m256i masks = _mm256_set1_epi64x((long long)mask), *at = (__m256i *)sets;
    __m256i low = _mm256_load_si256(at), high = _mm256_load_si256(at + 1);
    _mm256_store_si256(at, keep(low, masks, _mm256_unpacklo_ps(false_for, false_for)));
    _mm256_store_si256(at + 1, keep(high, masks, _mm256_unpackhi_ps(false_for, false_for)));
}

#include "impls/quickscorer/vqs_tmpl.h"

#define STORES "whole masked"
static const struct impl_param params[] = {
    QS_TAU_PARAM("all"),
    {"store",
     "how leaf sets of 32 bits are written: `masked` is the paper's way, which is slow on "
     "AMD's processors",
     STORES, "whole"},
    {NULL, NULL, NULL, NULL}};

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    unsigned masked;
    enum status status = options_choice(options, impl->name, "store", STORES, &masked, error);
    if (!status)
        status = vqs_build(impl, ensemble, options, scorer, error);
    if (!status)
        ((struct qs_model *)*scorer)->masked_store = masked;
    return status;
}

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] =
        {.lanes = 8,
         .step = {.always = 20, .node = 0.51, .wide_node = 0.1, .far_node = 0.07, .feature = 7},
         .document = {.tree = 0.34}},
    [IMPL_NO_VBMI] = {
        .lanes = 8,
        .step = {.always = 170, .node = 0.8, .wide_node = 0.17, .far_node = 0.06, .feature = 5.7},
        .document = {.tree = 0.93}}};

const struct impl impl_vqs_avx2 = {.name = "vqs-avx2",
                                   .title = "vQS-256",
                                   .roles = IMPL_EXAMPLE,
                                   .source = "lettich2018 section 4.2",
                                   .params = params,
                                   .cpu = CPU_AVX2,
                                   .costs = costs,
                                   .build = build,
                                   VQS_FACTS};
