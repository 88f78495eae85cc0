/* Bit planes in AVX-512's registers, with permutations of bytes (VBMI) and bit matrices (GFNI). A
 * block has 512 documents, or 128 in narrow planes: their tests take a quarter of the memory, which
 * is what a small call waits for.
 *
 * Step A searches 16 documents at once. A permutation of a level's keys finds the key for each
 * document, and a comparison leaves one bit of each rank in a mask register: 16 bits of a plane.
 * Step D transposes bits by a matrix product. Step E looks up a byte of 64 documents' doubles at
 * once, and then interleaves 8 registers of bytes into doubles. planes_types.h describes the steps,
 * and docs/floors.md counts instructions.
 *
 * Interleaving changes the order of each 64 documents. Step A assigns documents to the bits of
 * planes so that the sums are in order (kernel_document_at).
 *
 * The includer must define KERNEL_PARTS, the number of registers per plane, as 1. For narrow
 * planes, it defines KERNEL_NARROW. If the model's values lie byte by byte (planes_tables.h), it
 * defines KERNEL_BYTE_VALUES, which saves making tables for each tree and block. */
#include "impls/shared/avx512.h"

#ifdef KERNEL_NARROW
enum { KERNEL_BLOCK_CHUNKS = 2 };
#else
enum { KERNEL_BLOCK_CHUNKS = 8 };
#endif

enum {
    KERNEL_CHUNK = 64, /* documents whose codes a register of 64 bytes holds */
    KERNEL_REGISTER = KERNEL_BLOCK_CHUNKS * KERNEL_CHUNK / 8,
    KERNEL_FAN_BITS = 1,
    KERNEL_STRIP = 16,
    KERNEL_SUMS_MULTIPLE = 64,
    KERNEL_IN_ROWS = 0,
    KERNEL_LANES = 16, /* documents whose keys a register of 64 bytes holds */
    KERNEL_CHUNK_LANES = KERNEL_CHUNK / KERNEL_LANES
};

#include "impls/planes/kernel/planes_block_tmpl.h"

/* --- the order of documents ------------------------------------------------------------------- */

/* The number of a document in its chunk, given the place of its key and code in the chunk. Bits 4
 * and 5 of a place select a quarter of a register. Bits 1 to 3 select one of 8 registers of sums.
 * Bit 0 selects a half of the quarter. */
static inline size_t kernel_document_at(size_t place) {
    return (place >> 1 & 7) << 3 | place >> 4 << 1 | (place & 1);
}

/* A plane consists of groups of 16 bits. Returns the index of the group for a quarter of a chunk.
 */
static inline size_t kernel_group_of(size_t chunk, size_t quarter) {
    return quarter * KERNEL_BLOCK_CHUNKS + chunk;
}

/* --- A: ranks --------------------------------------------------------------------------------- */

/* float_key of 16 values, from their bits. */
static inline __m512i kernel_keys(__m512i bits) {
    const __m512i largest = _mm512_set1_epi32(INT32_MAX), infinity = _mm512_set1_epi32(0x7f800000);
    const __m512i zero = _mm512_setzero_si512();
    __m512i magnitude = _mm512_and_si512(bits, largest);
    __mmask16 is_negative = _mm512_cmpgt_epi32_mask(zero, bits);
    __mmask16 is_nan = _mm512_cmpgt_epi32_mask(magnitude, infinity);
    __m512i key = _mm512_mask_sub_epi32(magnitude, is_negative, zero, magnitude);
    return _mm512_mask_blend_epi32(is_nan, key, largest);
}

/* Transposes 16 x 16 words. */
static inline void kernel_transpose_words(__m512i row[KERNEL_LANES]) {
    __m512i pair[KERNEL_LANES], four[KERNEL_LANES], eight[KERNEL_LANES];
    for (int i = 0; i < KERNEL_LANES; i += 2) {
        pair[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
        pair[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (int i = 0; i < KERNEL_LANES; i += 4)
        for (int j = i; j < i + 2; j++) { /* each quarter gets a column of 4 rows */
            four[2 * j - i] = _mm512_unpacklo_epi64(pair[j], pair[j + 2]);
            four[2 * j - i + 1] = _mm512_unpackhi_epi64(pair[j], pair[j + 2]);
        }
    for (int i = 0; i < KERNEL_LANES; i += 8)
        for (int j = i; j < i + 4; j++) { /* each register gets 2 columns of 8 rows */
            eight[j] = _mm512_shuffle_i32x4(four[j], four[j + 4], 0x88);
            eight[j + 4] = _mm512_shuffle_i32x4(four[j], four[j + 4], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        row[j] = _mm512_shuffle_i32x4(eight[j], eight[j + 8], 0x88);
        row[j + 8] = _mm512_shuffle_i32x4(eight[j], eight[j + 8], 0xdd);
    }
}

static inline __m512i kernel_load_row(const float *row, size_t n_columns) {
    if (n_columns == KERNEL_LANES)
        return _mm512_loadu_si512(row);
    float values[KERNEL_LANES] = {0};
    memcpy(values, row, n_columns * sizeof *row);
    return _mm512_loadu_si512(values);
}

/* Places after the last document read that document again. The rows of the next chunk and the next
 * columns are prefetched, because processors do not predict this order of rows. The next columns
 * are read only after all rows, so they are prefetched into L2: L1 would not keep them. */
static inline void kernel_read_columns(const float *x, size_t stride, size_t n_columns,
                                       size_t n_docs, int32_t *keys, size_t keys_stride) {
    size_t end = (n_docs + KERNEL_CHUNK - 1) / KERNEL_CHUNK * KERNEL_CHUNK;
    for (size_t first = 0; first < end; first += KERNEL_LANES) {
        size_t chunk = first / KERNEL_CHUNK * KERNEL_CHUNK;
        __m512i row[KERNEL_LANES];
        for (size_t i = 0; i < KERNEL_LANES; i++) {
            size_t doc = chunk + kernel_document_at(first % KERNEL_CHUNK + i);
            const float *from = x + (doc < n_docs ? doc : n_docs - 1) * stride;
            __builtin_prefetch(from + KERNEL_CHUNK * stride + KERNEL_LANES - 1);
            __builtin_prefetch(from + 2 * KERNEL_LANES - 1, 0, 2);
            row[i] = kernel_load_row(from, n_columns);
        }
        kernel_transpose_words(row);
        for (size_t i = 0; i < n_columns; i++)
            _mm512_store_si512(keys + i * keys_stride + first, kernel_keys(row[i]));
    }
}

static void kernel_read_strip(struct kernel_block *block, const float *x, size_t stride,
                              size_t n_columns, size_t n_docs) {
    kernel_read_columns(x, stride, n_columns, n_docs, block->keys[0], KERNEL_BLOCK);
}

/* Each of these functions finds the keys of the nodes at the ends of 16 paths. There is one
 * function for paths of up to 4 decisions, one each for 5, 6 and 7 decisions, and one for more. A
 * path is a binary number, whose highest digit is the first decision. less[i] has the lanes that
 * went right at decision i. */
static inline __m512i kernel_find_of_16(const int32_t *keys, __m512i path) {
    return _mm512_permutexvar_epi32(path, _mm512_load_si512(keys));
}

static inline __m512i kernel_find_of_32(const int32_t *keys, __m512i path) {
    return _mm512_permutex2var_epi32(_mm512_load_si512(keys), path, _mm512_load_si512(keys + 16));
}

static inline __m512i kernel_find_of_64(const int32_t *keys, __m512i path, const __mmask16 *less) {
    return _mm512_mask_blend_epi32(less[0], kernel_find_of_32(keys, path),
                                   kernel_find_of_32(keys + 32, path));
}

static inline __m512i kernel_find_of_128(const int32_t *keys, __m512i path, const __mmask16 *less) {
    return _mm512_mask_blend_epi32(less[0], kernel_find_of_64(keys, path, less + 1),
                                   kernel_find_of_64(keys + 64, path, less + 1));
}

static inline __m512i kernel_find_of_many(const int32_t *keys, __m512i path) {
    int32_t found[KERNEL_LANES], place[KERNEL_LANES];
    _mm512_storeu_si512(place, path);
    for (int i = 0; i < KERNEL_LANES; i++)
        found[i] = keys[place[i]];
    return _mm512_loadu_si512(found);
}

static inline __m512i kernel_find_key(const int32_t *keys, uint32_t level, __m512i path,
                                      const __mmask16 *less) {
    return level == 0   ? _mm512_set1_epi32(*keys)
           : level <= 4 ? kernel_find_of_16(keys, path)
           : level == 5 ? kernel_find_of_32(keys, path)
           : level == 6 ? kernel_find_of_64(keys, path, less)
           : level == 7 ? kernel_find_of_128(keys, path, less)
                        : kernel_find_of_many(keys, path);
}

static inline void kernel_search_levels(const int32_t *const *levels, uint32_t n_levels,
                                        const int32_t *keys, size_t n_chunks, uint16_t *planes) {
    enum { PLANE_GROUPS = KERNEL_BLOCK_CHUNKS * KERNEL_CHUNK_LANES };
    for (size_t group = 0; group < n_chunks * KERNEL_CHUNK_LANES; group++) {
        const __m512i key = _mm512_load_si512(keys + group * KERNEL_LANES);
        uint16_t *bits =
            planes + kernel_group_of(group / KERNEL_CHUNK_LANES, group % KERNEL_CHUNK_LANES);
        __m512i path = _mm512_setzero_si512();
        __mmask16 less[PLANES_MAX_LEVELS];
        for (uint32_t level = 0; level < n_levels; level++) {
            __m512i found = kernel_find_key(levels[level], level, path, less);
            less[level] = _mm512_cmpgt_epi32_mask(key, found);
            bits[(n_levels - 1 - level) * PLANE_GROUPS] = less[level];
            path = _mm512_add_epi32(path, path);
            path = _mm512_mask_sub_epi32(path, less[level], path, _mm512_set1_epi32(-1));
        }
    }
}

/* Writes the planes of the ranks' bits, the lowest bit first. Rounds their number up to a multiple
 * of 4 with empty planes. Bits of chunks without documents are not written. */
static inline void kernel_search_planes(const struct planes_feature *feature, const int32_t *keys,
                                        size_t n_docs, void *planes) {
    const uint32_t n_levels = feature->n_levels;
    const size_t n_chunks = (n_docs + KERNEL_CHUNK - 1) / KERNEL_CHUNK;
    for (uint32_t level = n_levels; level % 4; level++)
        memset((char *)planes + level * KERNEL_REGISTER, 0, KERNEL_REGISTER);
#define SEARCH(n)                                                                                  \
    case n:                                                                                        \
        kernel_search_levels(feature->levels, n, keys, n_chunks, (uint16_t *)planes);              \
        break;
    switch (n_levels) {
        SEARCH(1)
        SEARCH(2)
        SEARCH(3)
        SEARCH(4)
        SEARCH(5)
        SEARCH(6)
        SEARCH(7)
        SEARCH(8)
    default:
        kernel_search_levels(feature->levels, n_levels, keys, n_chunks, (uint16_t *)planes);
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

/* --- D: codes --------------------------------------------------------------------------------- */

/* Interleaves the bytes of 8 registers. The 8 bytes at the same position become consecutive, the
 * first register's byte first. Register i gets positions 2 i and 2 i + 1 of each quarter. */
static inline void kernel_interleave(__m512i reg[8]) {
    __m512i pair[8], four[8];
    for (int i = 0; i < 4; i++) {
        pair[i] = _mm512_unpacklo_epi8(reg[i], reg[i + 4]);
        pair[i + 4] = _mm512_unpackhi_epi8(reg[i], reg[i + 4]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = i; j < i + 2; j++) {
            four[j] = _mm512_unpacklo_epi8(pair[j], pair[j + 2]);
            four[j + 2] = _mm512_unpackhi_epi8(pair[j], pair[j + 2]);
        }
    for (int i = 0; i < 8; i += 2) {
        reg[i] = _mm512_unpacklo_epi8(four[i], four[i + 1]);
        reg[i + 1] = _mm512_unpackhi_epi8(four[i], four[i + 1]);
    }
}

/* Makes 64 codes from bit matrices. The last byte of a matrix is its first row, which is the lowest
 * bit of the codes. */
static inline void kernel_store_codes(uint8_t *codes, __m512i matrices) {
    const __m512i each_bit = _mm512_set1_epi64((long long)0x8040201008040201u);
    _mm512_store_si512(codes, _mm512_gf2p8affine_epi64_epi8(each_bit, matrices, 0));
}

#ifdef KERNEL_NARROW
/* Four planes in one register, the last one first. */
static inline __m512i kernel_join_planes(const kernel_vec planes[4]) {
    __m512i all = _mm512_castsi128_si512((__m128i)planes[3]);
    all = _mm512_inserti32x4(all, (__m128i)planes[2], 1);
    all = _mm512_inserti32x4(all, (__m128i)planes[1], 2);
    return _mm512_inserti32x4(all, (__m128i)planes[0], 3);
}

/* Byte i of a matrix comes from plane 7 - i. Matrix 2 q + h of the first chunk takes byte 4 q + h
 * of each plane; the second chunk's bytes follow by 2 (kernel_group_of). */
static inline void kernel_make_codes(kernel_vec bits[8], size_t n_docs, int part, uint8_t *codes) {
    const __m512i places = _mm512_setr_epi64(
        0x7060504030201000, 0x7161514131211101, 0x7464544434241404, 0x7565554535251505,
        0x7868584838281808, 0x7969594939291909, 0x7c6c5c4c3c2c1c0c, 0x7d6d5d4d3d2d1d0d);
    const __m512i high = kernel_join_planes(bits + 4), low = kernel_join_planes(bits);
    (void)part;
    kernel_store_codes(codes, _mm512_permutex2var_epi8(high, places, low));
    if (n_docs > KERNEL_CHUNK) {
        const __m512i second = _mm512_add_epi8(places, _mm512_set1_epi8(2));
        kernel_store_codes(codes + KERNEL_CHUNK, _mm512_permutex2var_epi8(high, second, low));
    }
}
#else
static inline void kernel_make_codes(kernel_vec bits[8], size_t n_docs, int part, uint8_t *codes) {
    __m512i bytes[8];
    (void)n_docs, (void)part;
    for (int i = 0; i < 8; i++)
        bytes[i] = (__m512i)bits[7 - i];
    kernel_interleave(bytes);
    for (size_t i = 0; i < 8; i++)
        kernel_store_codes(codes + KERNEL_CHUNK * i, bytes[i]);
}
#endif

/* --- E: values -------------------------------------------------------------------------------- */

enum { KERNEL_TABLE = 64, KERNEL_TABLES = PLANES_MAX_LEAVES / KERNEL_TABLE };

#ifdef KERNEL_BYTE_VALUES
/* table[i] gets byte i of each of 64 values, or of fewer if the tree has fewer codes. Bytes of
 * other values follow. */
static inline void kernel_load_bytes(const double *values, uint32_t n_groups, __m512i table[8]) {
    size_t n_codes = n_groups > 1 ? (size_t)PLANES_GROUP << (32 - __builtin_clz(n_groups - 1))
                                  : (size_t)PLANES_GROUP;
    n_codes = n_codes < KERNEL_TABLE ? n_codes : (size_t)KERNEL_TABLE;
    for (size_t i = 0; i < 8; i++)
        table[i] = _mm512_loadu_si512((const char *)values + i * n_codes);
}
#else
/* table[i] gets byte i of each of 64 values, in the order of codes. Unpacking changes the order of
 * values; the permutation by `places` restores it. */
static inline void kernel_load_bytes(const double *values, uint32_t n_groups, __m512i table[8]) {
    const __m512i places = _mm512_setr_epi64(
        0x3130212011100100, 0x3332232213120302, 0x3534252415140504, 0x3736272617160706,
        0x3938292819180908, 0x3b3a2b2a1b1a0b0a, 0x3d3c2d2c1d1c0d0c, 0x3f3e2f2e1f1e0f0e);
    __m512i reg[8];
    (void)n_groups;
    for (int i = 0; i < 8; i++)
        reg[i] = _mm512_loadu_si512(values + 8 * i);
    kernel_interleave(reg);
    for (int i = 0; i < 4; i++) {
        __m512i even = _mm512_unpacklo_epi8(reg[i], reg[i + 4]);
        __m512i odd = _mm512_unpackhi_epi8(reg[i], reg[i + 4]);
        table[2 * i] = _mm512_permutexvar_epi8(places, even);
        table[2 * i + 1] = _mm512_permutexvar_epi8(places, odd);
    }
}
#endif

static inline __m512i kernel_look_up(__m512i table[KERNEL_TABLES][8], int n_tables, int byte,
                                     __m512i code) {
    if (n_tables == 1)
        return _mm512_permutexvar_epi8(code, table[0][byte]);
    __m512i low = _mm512_permutex2var_epi8(table[0][byte], code, table[1][byte]);
    if (n_tables == 2)
        return low;
    __m512i high = _mm512_permutex2var_epi8(table[2][byte], code, table[3][byte]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high);
}

static inline void kernel_add_looked_up(const double *values, uint32_t n_groups, int n_tables,
                                        const uint8_t *codes, size_t n_docs, double *scores) {
    __m512i table[KERNEL_TABLES][8];
    for (int i = 0; i < n_tables; i++)
        kernel_load_bytes(values + KERNEL_TABLE * i, n_groups, table[i]);
    for (size_t doc = 0; doc < n_docs; doc += KERNEL_CHUNK) {
        const __m512i code = _mm512_load_si512(codes + doc);
        __m512i bytes[8];
        for (int byte = 0; byte < 8; byte++)
            bytes[byte] = kernel_look_up(table, n_tables, byte, code);
        kernel_interleave(bytes);
        for (size_t i = 0; i < 8; i++) {
            double *place = scores + doc + 8 * i;
            __m512d sum = _mm512_add_pd(_mm512_load_pd(place), _mm512_castsi512_pd(bytes[i]));
            _mm512_store_pd(place, sum);
        }
    }
}

static inline void kernel_add_tree(const double *values, uint32_t n_groups, const uint8_t *codes,
                                   size_t n_docs, double *scores) {
    if (n_groups <= (int)KERNEL_TABLE / PLANES_GROUP)
        kernel_add_looked_up(values, n_groups, 1, codes, n_docs, scores);
    else if (n_groups <= 2 * (int)KERNEL_TABLE / PLANES_GROUP)
        kernel_add_looked_up(values, n_groups, 2, codes, n_docs, scores);
    else
        kernel_add_looked_up(values, n_groups, KERNEL_TABLES, codes, n_docs, scores);
}

static inline void kernel_add_trees(const uint8_t *codes, const struct planes_tree *trees,
                                    size_t count, size_t n_codes, double *column) {
    for (size_t t = 0; t < count; t++)
        kernel_add_tree(trees[t].values, trees[t].n_groups, codes + t * KERNEL_BLOCK, n_codes,
                        column);
}

#include "impls/planes/kernel/planes_tests_tmpl.h"
