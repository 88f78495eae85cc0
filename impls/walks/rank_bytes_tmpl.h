/* `score` of `rank-bytes`: evaluates all tests of a bundle for one document, with AVX-512 and VBMI.
 * The document's bytes are in registers and are looked up by column. One comparison evaluates 64
 * tests, and no jump depends on the results. docs/floors.md counts instructions.
 *
 * The includer defines struct span and struct batch as impls/impl.h does. */
#ifndef IMPLS_WALKS_RANK_BYTES_TMPL_H
#define IMPLS_WALKS_RANK_BYTES_TMPL_H

#include "impls/walks/rank_avx512.h"

/* --- exits -------------------------------------------------------------------------------------*/

struct rank_look_up {
    __m512i low, high;
};

RANK_INLINE __m512i rank_all_exits(void) {
    uint8_t exits[RANK_TESTS] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < RANK_TESTS; i++)
        exits[i] = (uint8_t)(RANK_TESTS + i);
    return _mm512_load_si512(exits);
}

/* The exit at which the path from each node of the bundle ends. */
RANK_INLINE __m512i rank_find_exits(const struct rank_view *view, size_t b,
                                    const struct rank_look_up *tables, uint32_t n_tables,
                                    uint32_t doublings) {
    const struct rank_bundle *bundle = &view->bundles[b];
    const uint64_t *in_table = view->in_table + b * (n_tables - 1);
    const __m512i exits = rank_all_exits();
    __m512i column = _mm512_load_si512(bundle->column);
    __m512i bytes = _mm512_permutex2var_epi8(tables[0].low, column, tables[0].high);
    for (uint32_t t = 1; t < n_tables; t++)
        bytes =
            _mm512_mask_mov_epi8(bytes, in_table[t - 1],
                                 _mm512_permutex2var_epi8(tables[t].low, column, tables[t].high));
    __mmask64 right = _mm512_cmpgt_epu8_mask(bytes, _mm512_load_si512(bundle->threshold));
    __m512i next = _mm512_mask_mov_epi8(_mm512_load_si512(bundle->left), right,
                                        _mm512_load_si512(bundle->right));
    for (uint32_t i = 0; i < doublings; i++)
        next = _mm512_permutex2var_epi8(next, next, exits);
    return next;
}

/* Finds the exits of all trees of a block on the uppermost level, in the order of the trees. */
RANK_INLINE void rank_find_first_exits(const struct rank_view *view, const struct rank_block *block,
                                       const struct rank_look_up *tables, uint32_t n_tables,
                                       uint32_t doublings, uint32_t *at) {
    /* Aligned so that no store crosses the end of a page, which would be slow. */
    uint8_t pointers[RANK_BLOCK + RANK_ROOTS] __attribute__((aligned(128)));
    size_t tree = 0;
    for (size_t b = block->first_bundle; b < block->first_bundle + block->n_bundles; b++) {
        __m512i exits = rank_find_exits(view, b, tables, n_tables, doublings);
        /* The next bundle's store overwrites the bytes after the roots. */
        _mm_storeu_si128((__m128i *)(void *)(pointers + tree), _mm512_castsi512_si128(exits));
        tree += view->n_roots[b];
    }
    const uint32_t *first = view->first_exit + block->first_tree;
    for (size_t t = 0; t < RANK_BLOCK; t += 16) {
        __m512i pointer =
            _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(pointers + t)));
        _mm512_store_si512(at + t, _mm512_add_epi32(pointer, _mm512_load_si512(first + t)));
    }
}

RANK_INLINE uint32_t rank_find_next_exit(const struct rank_view *view, uint32_t root,
                                         const struct rank_look_up *tables, uint32_t n_tables,
                                         uint32_t doublings) {
    uint32_t first = root & ~(uint32_t)(RANK_TESTS - 1);
    __m512i exits = rank_find_exits(view, first / RANK_TESTS, tables, n_tables, doublings);
    __m512i of_root = _mm512_permutexvar_epi8(_mm512_set1_epi32((int)root), exits);
    return first + (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(of_root)) % RANK_TESTS;
}

RANK_INLINE void rank_find_block_exits(const struct rank_view *view, const struct rank_block *block,
                                       const uint8_t *bytes, uint32_t n_tables, uint32_t doublings,
                                       uint32_t *at) {
    struct rank_look_up tables[RANK_MAX_TABLES];
    for (uint32_t t = 0; t < n_tables; t++, bytes += RANK_TABLE) {
        tables[t].low = _mm512_load_si512(bytes);
        tables[t].high = _mm512_load_si512(bytes + 64);
    }
    rank_find_first_exits(view, block, tables, n_tables, doublings, at);
    for (uint32_t level = 1; level < block->levels; level++)
        for (uint32_t t = 0; t < block->n_trees; t++)
            at[t] = rank_find_next_exit(view, (uint32_t)view->exits[at[t]].next, tables, n_tables,
                                        doublings);
}

/* For most models, the numbers of tables and doublings become constants. Tables then stay in
 * registers, and loops are unrolled. */
RANK_INLINE void rank_find_exits_by(const struct rank_view *view, const struct rank_block *block,
                                    const uint8_t *bytes, uint32_t n_tables, uint32_t *at) {
    if (block->doublings <= 3)
        rank_find_block_exits(view, block, bytes, n_tables, 3, at);
    else if (block->doublings == 4)
        rank_find_block_exits(view, block, bytes, n_tables, 4, at);
    else if (block->doublings == 5)
        rank_find_block_exits(view, block, bytes, n_tables, 5, at);
    else
        rank_find_block_exits(view, block, bytes, n_tables, 6, at);
}

static void rank_find_all_exits(const struct rank_view *view, const struct rank_block *block,
                                const uint8_t *bytes, uint32_t *at) {
    if (view->n_tables == 1)
        rank_find_exits_by(view, block, bytes, 1, at);
    else if (view->n_tables == 2)
        rank_find_exits_by(view, block, bytes, 2, at);
    else if (view->n_tables == 3)
        rank_find_exits_by(view, block, bytes, 3, at);
    else
        rank_find_exits_by(view, block, bytes, view->n_tables, at);
}

/* --- scores ------------------------------------------------------------------------------------*/

/* Adds the values of the trees of some blocks to the scores of some documents. */
static void rank_score(const struct rank_view *view, struct span blocks, struct span docs,
                       const struct batch *batch) {
    int32_t *keys = (int32_t *)batch->workspace;
    uint8_t *bytes = (uint8_t *)(keys + rank_source_keys(view));
    uint32_t at[RANK_BLOCK] __attribute__((aligned(64)));
    for (size_t doc = docs.begin; doc < docs.end; doc += RANK_DOCS) {
        size_t n = docs.end - doc < RANK_DOCS ? docs.end - doc : (size_t)RANK_DOCS;
        for (size_t i = 0; i < n; i++) {
            rank_make_keys(view, batch->x + (doc + i) * batch->stride, keys);
            rank_make_bytes(view, keys, bytes + i * rank_row(view));
        }
        for (size_t block = blocks.begin; block < blocks.end; block++)
            for (size_t i = 0; i < n; i++) {
                rank_find_all_exits(view, &view->blocks[block], bytes + i * rank_row(view), at);
                rank_add_values(view, &view->blocks[block], at,
                                batch->scores + (doc + i) * view->n_outputs);
            }
    }
}

#endif
