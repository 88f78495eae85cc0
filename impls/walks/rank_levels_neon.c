/* `rank-levels` with NEON on arm64. */
#include "base/cpu.h"
#include "impls/walks/rank_neon.h"

typedef uint8x16_t level_bytes;
typedef uint8x16_t level_choices;
typedef rank_part level_parts;

enum { LEVEL_LANES = 16 };
#define LEVEL_PARTS LEVEL_CASE(1) LEVEL_CASE(2) LEVEL_CASE(4)

RANK_INLINE level_bytes level_load(const void *bytes) {
    return vld1q_u8(bytes);
}

RANK_INLINE void level_store(uint16_t *to, level_bytes bytes) {
    vst1q_u16(to, vshll_n_u8(vget_low_u8(bytes), 6));
    vst1q_u16(to + 8, vshll_n_u8(vget_high_u8(bytes), 6));
}

RANK_INLINE level_bytes level_zero(void) {
    return vdupq_n_u8(0);
}

RANK_INLINE level_bytes level_choose(level_bytes left, level_bytes right,
                                     level_choices goes_right) {
    return vbslq_u8(goes_right, right, left);
}

RANK_INLINE level_bytes level_descend(level_bytes index, level_choices goes_right) {
    return vsubq_u8(vaddq_u8(index, index), goes_right);
}

#define level_load_parts rank_load_parts
#define level_look_up rank_look_up
#define level_greater rank_greater

#include "impls/walks/rank_levels_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {[IMPL_NO_VBMI] = {LEVEL_COST}};

const struct impl impl_rank_levels_neon = {.name = "rank-levels-neon",
                                           .title = "Levels of ranks, NEON",
                                           .cpu = CPU_NEON,
                                           .costs = costs,
                                           LEVEL_FACTS};
