/* Takes one document down 32 trees at once, with AVX2: 4 registers with 8 trees each. */
#include "base/cpu.h"

#include <immintrin.h>
#include <stdint.h>

enum { WALK_LANES = 8 };

typedef __m256i gather_lanes;

static inline gather_lanes gather_load(const uint32_t *from) {
    return _mm256_load_si256((const __m256i *)(const void *)from);
}

static inline void gather_store(uint32_t *to, gather_lanes v) {
    _mm256_store_si256((__m256i *)(void *)to, v);
}

static inline gather_lanes gather_set(uint32_t word) {
    return _mm256_set1_epi32((int)word);
}

static inline gather_lanes gather_and(gather_lanes a, gather_lanes b) {
    return _mm256_and_si256(a, b);
}

static inline gather_lanes gather_add(gather_lanes a, gather_lanes b) {
    return _mm256_add_epi32(a, b);
}

static inline gather_lanes gather_shift(gather_lanes v, int count) {
    return _mm256_srl_epi32(v, _mm_cvtsi32_si128(count));
}

static inline gather_lanes gather_words(const uint32_t *words, gather_lanes index) {
    return _mm256_i32gather_epi32((const int *)(const void *)words, index, sizeof *words);
}

/* a <= b exactly if the maximum of both equals b. Comparing the maximum with b gives -1 if so, and
 * otherwise 0. Adding 1 gives the value of a > b. */
static inline gather_lanes gather_add_greater(gather_lanes v, gather_lanes a, gather_lanes b) {
    __m256i not_greater = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b);
    return _mm256_add_epi32(v, _mm256_add_epi32(not_greater, gather_set(1)));
}

#include "impls/walks/gather_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1,
                   .document = {.always = 75, .level = 1.8, .far_level = 1.2, .bisection = 1.05}},
    [IMPL_NO_VBMI] = {
        .lanes = 1,
        .document = {.always = 195, .level = 1.7, .far_level = 0.06, .bisection = 0.57}}};

const struct impl impl_gather_avx2 = {.name = "gather-avx2",
                                      .title = "Gathers, AVX2",
                                      .family = "gather",
                                      .cpu = CPU_AVX2,
                                      .costs = costs,
                                      WALK_FACTS};
