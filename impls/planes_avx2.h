/* Bit planes in AVX2's registers, 256 documents a block.
 *
 * Counted in gcc 12's machine code, for a tree of 64 leaves and a block:
 *
 *   step                        instructions   loads + stores
 *   C  64 nodes                 700            384: 5 loads and a store each, 4 nodes unrolled
 *   D  codes                    240            95
 *   E  256 values, in doubles   980            355: one load for 4 codes, one for each value
 *   together                    1920           834
 *   bound on Zen 3, cycles      320 (6 a cycle)  278 (3 a cycle)
 *
 * 320 cycles are 0.39 ns a document and tree at 3.24 GHz; docs/floors.md has what was measured.
 *
 * A value's rank costs 4 instructions for up to 15 thresholds, 5.5 for 63, 9 for 127, 12 for 511;
 * reading it and its key 2. Each step down the search tree compares with 7 keys and counts: three
 * steps instead of 8 that wait for one another; 8 documents at once where a level has up to 16
 * nodes, one after the other further down.
 */
#ifndef IMPLS_PLANES_AVX2_H
#define IMPLS_PLANES_AVX2_H

#include "impls/planes_read_avx2.h"
#include "impls/planes_types.h"

#include <immintrin.h>

#define PLANES_REGISTER 32
#ifndef PLANES_PARTS
#define PLANES_PARTS 1
#endif
#define PLANES_FAN_BITS 3
#define PLANES_SEARCH

enum { LANES = 8, QUARTET = 4 * LANES };

/* --- A: ranks --------------------------------------------------------------------------------- */

/* The keys of 8 nodes, of a table of 1, 8 or 16. More would be permutations only: all of a table is
 * permuted for each 8 values, 8 keys at a time and a cycle each, and 7 tables a level. */
static inline __m256i find_keys(const int32_t *table, uint32_t size, __m256i node) {
    if (size == 1)
        return _mm256_set1_epi32(*table);
    const __m256i *keys = (const __m256i *)table;
    __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256(keys), node);
    if (size == 8)
        return low;
    __m256i high = _mm256_permutevar8x32_epi32(_mm256_load_si256(keys + 1), node);
    __m256i is_high = _mm256_slli_epi32(node, 28);
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                                _mm256_castsi256_ps(is_high)));
}

/* From nodes, by their numbers, to their children. */
static inline __m256i step_down(const int32_t *level, uint32_t size, uint32_t n_keys, __m256i key,
                                __m256i node) {
    __m256i child = _mm256_slli_epi32(node, PLANES_FAN_BITS);
    for (uint32_t i = 0; i < n_keys; i++) {
        __m256i less = _mm256_cmpgt_epi32(key, find_keys(level + i * size, size, node));
        child = _mm256_sub_epi32(child, less);
    }
    return child;
}

/* The same further down, where levels lie node by node: one document after the other. */
static inline __m256i step_down_alone(const int32_t *level, const int32_t *keys, __m256i node) {
    int32_t number[LANES];
    _mm256_storeu_si256((__m256i *)number, node);
    for (int i = 0; i < LANES; i++) {
        const int32_t *node_keys = level + ((ptrdiff_t)number[i] << PLANES_FAN_BITS);
        __m256i less = _mm256_cmpgt_epi32(_mm256_set1_epi32(keys[i]),
                                          _mm256_load_si256((const __m256i *)node_keys));
        int mask = _mm256_movemask_ps(_mm256_castsi256_ps(less));
        number[i] = (number[i] << PLANES_FAN_BITS) + __builtin_popcount((unsigned)mask);
    }
    return _mm256_loadu_si256((const __m256i *)number);
}

static inline __m256i find_ranks_of_8(const struct planes_feature *feature, uint32_t n_bits,
                                      const int32_t *keys) {
    const __m256i key = _mm256_load_si256((const __m256i *)keys);
    const uint32_t n_levels = (n_bits + PLANES_FAN_BITS - 1) / PLANES_FAN_BITS;
    const uint32_t first_bits = n_bits - PLANES_FAN_BITS * (n_levels - 1);
    __m256i node =
        step_down(feature->levels[0], 1, (1u << first_bits) - 1, key, _mm256_setzero_si256());
    for (uint32_t level = 1; level < n_levels; level++) {
        uint32_t n_nodes = 1u << (first_bits + PLANES_FAN_BITS * (level - 1));
        if (n_nodes <= PLANES_TABLE_NODES)
            node = step_down(feature->levels[level], n_nodes < 8 ? 8 : n_nodes, 7, key, node);
        else
            node = step_down_alone(feature->levels[level], keys, node);
    }
    return node;
}

/* Byte `byte` of 32 ranks, in their order. */
static inline __m256i pack_bytes(const __m256i ranks[4], uint32_t byte, uint32_t n_bits) {
    const __m256i lowest = _mm256_set1_epi32(0xff);
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); /* packs work by halves */
    __m256i some[4];
    for (int i = 0; i < 4; i++)
        some[i] = n_bits <= 8
                      ? ranks[i]
                      : _mm256_and_si256(_mm256_srli_epi32(ranks[i], (int)(8 * byte)), lowest);
    __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(some[0], some[1]),
                                         _mm256_packus_epi32(some[2], some[3]));
    return _mm256_permutevar8x32_epi32(packed, in_order);
}

static inline void search_bits(const struct planes_feature *feature, uint32_t n_bits,
                               const int32_t *keys, size_t n_docs, char *planes) {
    const size_t plane_bytes = PLANES_REGISTER * PLANES_PARTS;
    for (size_t doc = 0; doc < n_docs; doc += QUARTET) {
        __m256i ranks[4];
        for (size_t i = 0; i < 4; i++)
            ranks[i] = find_ranks_of_8(feature, n_bits, keys + doc + i * LANES);
        for (uint32_t byte = 0; 8 * byte < n_bits; byte++) {
            __m256i bytes = pack_bytes(ranks, byte, n_bits);
            for (uint32_t bit = 8; bit-- > 0; bytes = _mm256_add_epi8(bytes, bytes)) {
                int32_t mask = _mm256_movemask_epi8(bytes);
                if (8 * byte + bit < (n_bits + 3) / 4 * 4)
                    memcpy(planes + (8 * byte + bit) * plane_bytes + doc / 8, &mask, sizeof mask);
            }
        }
    }
}

/* Planes of the ranks' bits, the lowest first, up to a multiple of 4. */
static inline void planes_search(const struct planes_feature *feature, const int32_t *keys,
                                 size_t n_docs, void *planes) {
#define SEARCH(n)                                                                                  \
    case n:                                                                                        \
        search_bits(feature, n, keys, n_docs, (char *)planes);                                     \
        break;
    switch (feature->n_bits) {
        SEARCH(1)
        SEARCH(2)
        SEARCH(3)
        SEARCH(4)
        SEARCH(5)
        SEARCH(6)
        SEARCH(7)
        SEARCH(8)
        SEARCH(9)
    default:
        search_bits(feature, feature->n_bits, keys, n_docs, (char *)planes);
    }
#undef SEARCH
}

#endif
