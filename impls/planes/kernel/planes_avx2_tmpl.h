/* Bit planes in AVX2's registers, 256 documents per block.
 *
 * Instructions in gcc 12's machine code, for a tree of 64 leaves and a block (planes_types.h
 * defines the steps):
 *
 *   step                        instructions   loads + stores
 *   C  64 nodes                 700            384: 5 loads and a store each, 4 nodes unrolled
 *   D  codes                    240            95
 *   E  256 values, in doubles   980            355: one load for 4 codes, one for each value
 *   total                       1920           834
 *   bound on Zen 3, cycles      320 (6 a cycle)  278 (3 a cycle)
 *
 * 320 cycles are 0.39 ns per document and tree at 3.24 GHz. docs/floors.md lists measured times.
 *
 * Finding a value's rank takes 4 instructions for up to 15 thresholds, 5.5 for 63, 9 for 127 and 12
 * for 511. Reading the value and computing its key take 2 more. In each level of the search tree,
 * the kernel counts how many of a node's 7 keys are less than the value's key. Three levels are
 * enough for 511 thresholds; a binary search would need nine. Levels of up to 16 nodes are searched
 * for 8 documents at once, and lower levels for one document after the other.
 *
 * The includer defines KERNEL_PARTS (planes_block_tmpl.h). */
#include <immintrin.h>

enum {
    KERNEL_REGISTER = 32,
    KERNEL_FAN_BITS = 3,
    KERNEL_STRIP = 8,
    KERNEL_SUMS_MULTIPLE = 32, /* floats are added 32 at a time */
    KERNEL_IN_ROWS = 1,
    KERNEL_LANES = 8, /* values whose keys a register holds */
    KERNEL_QUARTET = 4 * KERNEL_LANES
};

#include "impls/planes/kernel/planes_block_tmpl.h"
#include "impls/planes/kernel/planes_transpose_tmpl.h"

/* --- A: keys ---------------------------------------------------------------------------------- */

/* float_key of eight values. */
static inline __m256i kernel_keys(__m256 values) {
    __m256i bits = _mm256_castps_si256(values), largest = _mm256_set1_epi32(INT32_MAX);
    __m256i magnitude = _mm256_and_si256(bits, largest), sign = _mm256_srai_epi32(bits, 31);
    __m256i key = _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
    __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    return _mm256_blendv_epi8(key, largest, _mm256_castps_si256(is_nan));
}

/* Reads 8 x 8 values and transposes them in registers. */
static inline void kernel_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    __m256 row[8], pair[8], four[8];
    for (int i = 0; i < 4; i++) { /* the halves of a register have rows i and i + 4 */
        const float *low = x + (size_t)i * stride, *high = low + 4 * stride;
        row[i] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
        row[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low + 4)),
                                          _mm_loadu_ps(high + 4), 1);
    }
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
            four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
        }
    for (size_t i = 0; i < 8; i++)
        _mm256_storeu_si256((__m256i *)(keys + i * keys_stride), kernel_keys(four[i]));
}

#include "impls/planes/kernel/planes_read_tmpl.h"

/* --- A: ranks --------------------------------------------------------------------------------- */

/* Looks up one key of each of 8 nodes in a table of 1, 8 or 16 keys. A permutation covers 8 keys of
 * a table, and a level has 7 tables, so larger tables would take too many permutations. */
static inline __m256i kernel_find_keys(const int32_t *table, uint32_t size, __m256i node) {
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

/* Returns the children to which 8 keys go, one from each of 8 nodes. Nodes and children are given
 * by their indices in their level. */
static inline __m256i kernel_step_down(const int32_t *level, uint32_t size, uint32_t n_keys,
                                       __m256i key, __m256i node) {
    __m256i child = _mm256_slli_epi32(node, KERNEL_FAN_BITS);
    for (uint32_t i = 0; i < n_keys; i++) {
        __m256i less = _mm256_cmpgt_epi32(key, kernel_find_keys(level + i * size, size, node));
        child = _mm256_sub_epi32(child, less);
    }
    return child;
}

/* Like kernel_step_down, for lower levels, which are stored node by node. Handles one document
 * after the other. */
static inline __m256i kernel_step_down_alone(const int32_t *level, const int32_t *keys,
                                             __m256i node) {
    int32_t number[KERNEL_LANES];
    _mm256_storeu_si256((__m256i *)number, node);
    for (int i = 0; i < KERNEL_LANES; i++) {
        const int32_t *node_keys = level + ((ptrdiff_t)number[i] << KERNEL_FAN_BITS);
        __m256i less = _mm256_cmpgt_epi32(_mm256_set1_epi32(keys[i]),
                                          _mm256_load_si256((const __m256i *)node_keys));
        int mask = _mm256_movemask_ps(_mm256_castsi256_ps(less));
        number[i] = (number[i] << KERNEL_FAN_BITS) + __builtin_popcount((unsigned)mask);
    }
    return _mm256_loadu_si256((const __m256i *)number);
}

static inline __m256i kernel_find_ranks_of_8(const struct planes_feature *feature, uint32_t n_bits,
                                             const int32_t *keys) {
    const __m256i key = _mm256_load_si256((const __m256i *)keys);
    const uint32_t n_levels = (n_bits + KERNEL_FAN_BITS - 1) / KERNEL_FAN_BITS;
    const uint32_t first_bits = n_bits - KERNEL_FAN_BITS * (n_levels - 1);
    __m256i node = kernel_step_down(feature->levels[0], 1, (1u << first_bits) - 1, key,
                                    _mm256_setzero_si256());
    for (uint32_t level = 1; level < n_levels; level++) {
        uint32_t n_nodes = 1u << (first_bits + KERNEL_FAN_BITS * (level - 1));
        if (n_nodes <= PLANES_TABLE_NODES)
            node =
                kernel_step_down(feature->levels[level], n_nodes < 8 ? 8 : n_nodes, 7, key, node);
        else
            node = kernel_step_down_alone(feature->levels[level], keys, node);
    }
    return node;
}

/* Byte number `byte` of each of 32 ranks, in the order of the ranks. */
static inline __m256i kernel_pack_bytes(const __m256i ranks[4], uint32_t byte, uint32_t n_bits) {
    const __m256i lowest = _mm256_set1_epi32(0xff);
    const __m256i in_order =
        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); /* undoes the order of packing */
    __m256i some[4];
    for (int i = 0; i < 4; i++)
        some[i] = n_bits <= 8
                      ? ranks[i]
                      : _mm256_and_si256(_mm256_srli_epi32(ranks[i], (int)(8 * byte)), lowest);
    __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(some[0], some[1]),
                                         _mm256_packus_epi32(some[2], some[3]));
    return _mm256_permutevar8x32_epi32(packed, in_order);
}

static inline void kernel_search_bits(const struct planes_feature *feature, uint32_t n_bits,
                                      const int32_t *keys, size_t n_docs, char *planes) {
    const size_t plane_bytes = KERNEL_PLANE_BYTES;
    for (size_t doc = 0; doc < n_docs; doc += KERNEL_QUARTET) {
        __m256i ranks[4];
        for (size_t i = 0; i < 4; i++)
            ranks[i] = kernel_find_ranks_of_8(feature, n_bits, keys + doc + i * KERNEL_LANES);
        for (uint32_t byte = 0; 8 * byte < n_bits; byte++) {
            __m256i bytes = kernel_pack_bytes(ranks, byte, n_bits);
            for (uint32_t bit = 8; bit-- > 0; bytes = _mm256_add_epi8(bytes, bytes)) {
                int32_t mask = _mm256_movemask_epi8(bytes);
                if (8 * byte + bit < (n_bits + 3) / 4 * 4)
                    memcpy(planes + (8 * byte + bit) * plane_bytes + doc / 8, &mask, sizeof mask);
            }
        }
    }
}

/* Writes the planes of the ranks' bits, the lowest bit first. Rounds their number up to a multiple
 * of 4 with empty planes. */
static inline void kernel_search_planes(const struct planes_feature *feature, const int32_t *keys,
                                        size_t n_docs, void *planes) {
#define SEARCH(n)                                                                                  \
    case n:                                                                                        \
        kernel_search_bits(feature, n, keys, n_docs, (char *)planes);                              \
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
        kernel_search_bits(feature, feature->n_bits, keys, n_docs, (char *)planes);
    }
#undef SEARCH
}

static void kernel_search(struct kernel_block *block, const struct planes_feature *feature,
                          const int32_t *keys, size_t n_docs) {
    kernel_search_planes(feature, keys, n_docs, block->ranks);
}

static inline void kernel_order_ranks(kernel_vec bits[8]) {
    (void)bits; /* kernel_search has made planes already */
}

#include "impls/planes/kernel/planes_tests_tmpl.h"
#include "impls/planes/kernel/planes_values_tmpl.h"
