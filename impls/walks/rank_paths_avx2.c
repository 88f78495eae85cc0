
/* `rank-paths` with AVX2 and BMI (Intel since Haswell, AMD since Zen; Zen 3 is the first on which
 * all of these instructions are fast). */
#include "base/cpu.h"
#include "impls/walks/rank_avx2.h"
#include "impls/walks/rank_paths_model.h"

RANK_INLINE uint32_t path_evaluate_32(const uint8_t *column, const int8_t *threshold,
                                      const __m256i *parts, uint32_t n_parts) {
    __m256i columns = _mm256_load_si256((const __m256i *)(const void *)column);
    __m256i right = _mm256_cmpgt_epi8(rank_look_up(parts, n_parts, columns),
                                      _mm256_load_si256((const __m256i *)(const void *)threshold));
    return (uint32_t)_mm256_movemask_epi8(right);
}

RANK_INLINE void path_evaluate_by(const struct path_model *model, const uint32_t *bundles,
                                  uint32_t n, const uint8_t *bytes, uint32_t n_parts,
                                  uint64_t *turns) {
    __m256i parts[RANK_MAX_PARTS];
    rank_load_parts(bytes, n_parts, parts);
    for (uint32_t i = 0; i < n; i++) {
        const struct path_tests *tests = &model->tests[bundles[i]];
        uint64_t low = path_evaluate_32(tests->column, tests->threshold, parts, n_parts);
        uint64_t high = path_evaluate_32(tests->column + 32, tests->threshold + 32, parts, n_parts);
        path_prefetch(model, bundles[i]);
        turns[i] = (high << 32 | low) ^ model->flips[bundles[i]];
    }
}

/* With a constant number of parts, they stay in registers. */
static void path_evaluate(const struct path_model *model, const uint32_t *bundles, uint32_t n,
                          const uint8_t *bytes, uint64_t *turns) {
#define CASE(n_parts)                                                                              \
    case n_parts:                                                                                  \
        path_evaluate_by(model, bundles, n, bytes, n_parts, turns);                                \
        break;
    switch ((model->ranks.view.n_columns + RANK_PART - 1) / RANK_PART) {
    case 0: /* the trees are single leaves */
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
    default:
        path_evaluate_by(model, bundles, n, bytes, RANK_MAX_PARTS, turns);
    }
#undef CASE
}

static inline uint64_t path_bits(uint64_t turns, uint64_t state) {
    return __bextr_u64(turns, state);
}

static inline uint64_t path_first(uint64_t bits) {
    return _tzcnt_u64(bits);
}

#include "impls/walks/rank_paths_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {[IMPL_NO_VBMI] = {PATH_COST}};

const struct impl impl_rank_paths_avx2 = {.name = "rank-paths-avx2",
                                          .title = "Heavy paths of ranks, AVX2",
                                          .cpu = CPU_AVX2,
                                          .costs = costs,
                                          PATH_FACTS};
