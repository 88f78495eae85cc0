/* Bit planes in NEON's registers.
 *
 * The includer defines KERNEL_PARTS (planes_block_tmpl.h). */
#include <arm_neon.h>

enum {
    KERNEL_REGISTER = 16,
    KERNEL_FAN_BITS = 2,
    KERNEL_STRIP = 8,
    KERNEL_SUMS_MULTIPLE = 32,
    KERNEL_IN_ROWS = 0
};

#include "impls/planes/kernel/planes_block_tmpl.h"
#include "impls/planes/kernel/planes_transpose_tmpl.h"

/* The last of a node's four keys is INT32_MAX. No key of a value is greater, so that key never
 * counts. */
static inline uint32_t kernel_child(const int32_t *node, int32_t key) {
    uint32x4_t less = vcgtq_s32(vdupq_n_s32(key), vld1q_s32(node));
    return 0u - vaddvq_u32(less);
}

static inline int32x4_t kernel_keys(float32x4_t values) {
    int32x4_t bits = vreinterpretq_s32_f32(values), largest = vdupq_n_s32(INT32_MAX);
    int32x4_t magnitude = vandq_s32(bits, largest), sign = vshrq_n_s32(bits, 31);
    int32x4_t key = vsubq_s32(veorq_s32(magnitude, sign), sign);
    return vbslq_s32(vceqq_f32(values, values), key, largest);
}

/* Reads 8 x 8 values and transposes 4 x 4 of them at a time. */
static inline void kernel_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    for (size_t doc = 0; doc < 8; doc += 4)
        for (size_t column = 0; column < 8; column += 4) {
            const float *from = x + doc * stride + column;
            int32x4_t row[4];
            for (size_t i = 0; i < 4; i++)
                row[i] = kernel_keys(vld1q_f32(from + i * stride));
            int32x4x2_t even = vtrnq_s32(row[0], row[1]), odd = vtrnq_s32(row[2], row[3]);
            int32_t *to = keys + column * keys_stride + doc;
            for (size_t i = 0; i < 2; i++) {
                vst1q_s32(to + i * keys_stride,
                          vcombine_s32(vget_low_s32(even.val[i]), vget_low_s32(odd.val[i])));
                vst1q_s32(to + (i + 2) * keys_stride,
                          vcombine_s32(vget_high_s32(even.val[i]), vget_high_s32(odd.val[i])));
            }
        }
}

#include "impls/planes/kernel/planes_ranks_tmpl.h"
#include "impls/planes/kernel/planes_read_tmpl.h"
#include "impls/planes/kernel/planes_tests_tmpl.h"
#include "impls/planes/kernel/planes_values_tmpl.h"
