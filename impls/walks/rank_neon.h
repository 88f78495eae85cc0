/* Makes the bytes of a document with NEON, and looks them up. A byte is a rank minus 128, as with
 * AVX2, so that both read the same models. */
#ifndef IMPLS_WALKS_RANK_NEON_H
#define IMPLS_WALKS_RANK_NEON_H

#include "impls/shared/float_key.h"
#include "impls/walks/rank_bytes_types.h"

#include <arm_neon.h>

#define RANK_INLINE static inline __attribute__((always_inline))

enum { RANK_PART = 64, RANK_MAX_PARTS = 4 }; /* NEON looks up a byte among 64 */

typedef uint8x16x4_t rank_part;

static void rank_make_keys(const struct rank_view *view, const float *x, int32_t *keys) {
    size_t side = (size_t)view->n_groups * RANK_KEYS;
    for (uint32_t g = 0; g < view->n_groups; g++) {
        const struct rank_group *group = &view->groups[g];
        for (uint32_t f = 0; f < RANK_KEYS && group->present >> f; f++) {
            int32_t key = float_key(x[group->feature + f]), *to = &keys[g * RANK_KEYS + f];
            *to = key;
            if (view->two_sides)
                to[side] = key == INT32_MAX ? INT32_MIN : key;
        }
    }
}

/* The number of the RANK_KEYS keys of a line that are less than `key`. */
RANK_INLINE uint32_t rank_count_less(const int32_t *line, int32x4_t key) {
    uint32x4_t low =
        vaddq_u32(vcgtq_s32(key, vld1q_s32(line)), vcgtq_s32(key, vld1q_s32(line + 4)));
    uint32x4_t high =
        vaddq_u32(vcgtq_s32(key, vld1q_s32(line + 8)), vcgtq_s32(key, vld1q_s32(line + 12)));
    return -vaddvq_u32(vaddq_u32(low, high));
}

static void rank_make_bytes(const struct rank_view *view, const int32_t *keys, uint8_t *bytes) {
    const struct rank_column *columns = view->columns;
    const int32_t *thresholds = view->keys;
    uint32_t c = 0, n_small = view->n_small, n_columns = view->n_columns;
    for (; c < n_small; c++) {
        int32x4_t key = vdupq_n_s32(keys[columns[c].source]);
        bytes[c] = (uint8_t)(rank_count_less(thresholds + columns[c].first_key, key) - 128);
    }
    for (; c < n_columns; c++) {
        const int32_t *lines = thresholds + columns[c].first_key;
        int32x4_t key = vdupq_n_s32(keys[columns[c].source]);
        uint32_t before = RANK_KEYS * rank_count_less(lines, key);
        bytes[c] = (uint8_t)(before + rank_count_less(lines + RANK_KEYS + before, key) - 128);
    }
}

RANK_INLINE void rank_load_parts(const uint8_t *bytes, uint32_t n, rank_part *parts) {
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = 0; i < 4; i++)
            parts[p].val[i] = vld1q_u8(bytes + p * RANK_PART + i * 16);
}

/* The document's bytes of 16 columns, whose bytes are n parts. */
RANK_INLINE uint8x16_t rank_look_up(const rank_part *parts, uint32_t n, uint8x16_t columns) {
    uint8x16_t found = vqtbl4q_u8(parts[0], columns);
    for (uint32_t p = 1; p < n; p++) {
        columns = vsubq_u8(columns, vdupq_n_u8(RANK_PART)); /* columns of other parts: over 63 */
        found = vqtbx4q_u8(found, parts[p], columns);
    }
    return found;
}

RANK_INLINE uint8x16_t rank_greater(uint8x16_t bytes, uint8x16_t thresholds) {
    return vcgtq_s8(vreinterpretq_s8_u8(bytes), vreinterpretq_s8_u8(thresholds));
}

#endif
