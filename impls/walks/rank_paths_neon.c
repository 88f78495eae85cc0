/* `rank-paths` with NEON on arm64. */
#include "base/cpu.h"
#include "impls/walks/rank_neon.h"
#include "impls/walks/rank_paths_model.h"

/* One bit per byte, for bytes of which all bits are set or none. */
RANK_INLINE uint64_t path_bits_of_bytes(const uint8x16_t *bytes) {
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint8x16_t low = vpaddq_u8(vandq_u8(bytes[0], bits), vandq_u8(bytes[1], bits));
    uint8x16_t high = vpaddq_u8(vandq_u8(bytes[2], bits), vandq_u8(bytes[3], bits));
    uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

RANK_INLINE void path_evaluate_by(const struct path_model *model, const uint32_t *bundles,
                                  uint32_t n, const uint8_t *bytes, uint32_t n_parts,
                                  uint64_t *turns) {
    rank_part parts[RANK_MAX_PARTS];
    rank_load_parts(bytes, n_parts, parts);
    for (uint32_t i = 0; i < n; i++) {
        const struct path_tests *tests = &model->tests[bundles[i]];
        uint8x16_t right[RANK_TESTS / 16];
        for (uint32_t v = 0; v < RANK_TESTS / 16; v++)
            right[v] = rank_greater(rank_look_up(parts, n_parts, vld1q_u8(tests->column + 16 * v)),
                                    vreinterpretq_u8_s8(vld1q_s8(tests->threshold + 16 * v)));
        path_prefetch(model, bundles[i]);
        turns[i] = path_bits_of_bytes(right) ^ model->flips[bundles[i]];
    }
}

/* With a constant number of parts, they stay in registers. */
static void path_evaluate(const struct path_model *model, const uint32_t *bundles, uint32_t n,
                          const uint8_t *bytes, uint64_t *turns) {
    uint32_t n_columns = model->ranks.view.n_columns;
    if (n_columns <= RANK_PART)
        path_evaluate_by(model, bundles, n, bytes, 1, turns);
    else if (n_columns <= 2 * RANK_PART)
        path_evaluate_by(model, bundles, n, bytes, 2, turns);
    else
        path_evaluate_by(model, bundles, n, bytes, RANK_MAX_PARTS, turns);
}

/* A path has at most RANK_TESTS - 1 tests. */
static inline uint64_t path_bits(uint64_t turns, uint64_t state) {
    return turns >> (state % RANK_TESTS) & (((uint64_t)1 << (state >> 8)) - 1);
}

static inline uint64_t path_first(uint64_t bits) {
    return bits ? (uint64_t)__builtin_ctzll(bits) : RANK_TESTS;
}

#include "impls/walks/rank_paths_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {[IMPL_NO_VBMI] = {PATH_COST}};

const struct impl impl_rank_paths_neon = {.name = "rank-paths-neon",
                                          .title = "Heavy paths of ranks, NEON",
                                          .cpu = CPU_NEON,
                                          .costs = costs,
                                          PATH_FACTS};
