/* V-QUICKSCORER (lettich2018 section 4) for 4 documents at once, with NEON on arm64.
 *
 * A node that is false for any of the 4 documents costs 17 instructions with 32-bit leaf sets,
 * including 4 loads and one store. This code has run only in an emulator, so no times are known. */
#include "base/cpu.h"
#include "impls/quickscorer/qs_model.h"

#include <arm_neon.h>

enum { VQS_LANES = 4, VQS_MASKED_STORE = 0 };
typedef float32x4_t vqs_floats;
typedef uint32x4_t vqs_lanes; /* all bits of a document's lane are set, or none */

static const unsigned vqs_order_64[VQS_LANES] = {0, 1, 2, 3};

QS_INLINE vqs_floats vqs_load(const float *const *rows, uint32_t feature) {
    float32x4_t x = vdupq_n_f32(rows[0][feature]);
    x = vld1q_lane_f32(rows[1] + feature, x, 1);
    x = vld1q_lane_f32(rows[2] + feature, x, 2);
    return vld1q_lane_f32(rows[3] + feature, x, 3);
}

QS_INLINE vqs_lanes vqs_false_for(vqs_floats x, float threshold, bool nan_left) {
    float32x4_t t = vdupq_n_f32(threshold);
    return nan_left ? vcgtq_f32(x, t) : vmvnq_u32(vcleq_f32(x, t));
}

QS_INLINE bool vqs_any(vqs_lanes false_for) {
    return vmaxvq_u32(false_for) != 0;
}

/* The bits that stay are mask | ~false_for, which is a single instruction (vornq_u32). */
QS_INLINE void vqs_keep_32(uint32_t *sets, uint32_t mask, vqs_lanes false_for, bool masked) {
    (void)masked;
    vst1q_u32(sets, vandq_u32(vld1q_u32(sets), vornq_u32(vdupq_n_u32(mask), false_for)));
}

QS_INLINE void keep_2(uint64_t *sets, uint64x2_t mask, uint32x4_t false_for) {
    uint64x2_t stay = vornq_u64(mask, vreinterpretq_u64_u32(false_for));
    vst1q_u64(sets, vandq_u64(vld1q_u64(sets), stay));
}

QS_INLINE void vqs_keep_64(uint64_t *sets, uint64_t mask, vqs_lanes false_for) {
    uint64x2_t masks = vdupq_n_u64(mask);
    keep_2(sets, masks, vzip1q_u32(false_for, false_for));
    keep_2(sets + 2, masks, vzip2q_u32(false_for, false_for));
}

#include "impls/quickscorer/vqs_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_NO_VBMI] = {.lanes = 4,
                      .step = {.always = 150, .node = 0.76, .feature = 6},
                      .document = {.tree = 1.07}}};

const struct impl impl_vqs_neon = {.name = "vqs-neon",
                                   .title = "vQS-NEON",
                                   .source = "-",
                                   .params = qs_params,
                                   .cpu = CPU_NEON,
                                   .build = vqs_build,
                                   .costs = costs,
                                   VQS_FACTS};
