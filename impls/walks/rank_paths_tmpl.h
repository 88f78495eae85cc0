/* `score` of `rank-paths-*`.
 *
 * The includer defines:
 *
 *   void rank_make_keys(const struct rank_view *view, const float *x, int32_t *keys)
 *       makes the keys of a document
 *   void rank_make_bytes(const struct rank_view *view, const int32_t *keys, uint8_t *bytes)
 *       makes the bytes of the columns, minus 128
 *   void path_evaluate(const struct path_model *model, const uint32_t *bundles, uint32_t n,
 *                      const uint8_t *bytes, uint64_t *turns)
 *       evaluates the tests of n bundles; a bit tells that the document leaves the heavy path
 *   uint64_t path_bits(uint64_t turns, uint64_t state)
 *       the bits of a path
 *   uint64_t path_first(uint64_t bits)
 *       the index of the first bit that is set; RANK_TESTS if there is none
 */
#ifndef IMPLS_WALKS_RANK_PATHS_TMPL_H
#define IMPLS_WALKS_RANK_PATHS_TMPL_H

#include "impls/walks/rank_paths_model.h"

/* Takes the document down PATH_LANES trees. */
static inline __attribute__((always_inline)) void path_go_down(const struct path_model *model,
                                                               const struct path_lane *lanes,
                                                               const uint64_t *turns, uint32_t hops,
                                                               uint32_t *at) {
    const uint16_t *after[PATH_LANES];
    uint64_t state[PATH_LANES];
    for (size_t l = 0; l < PATH_LANES; l++) {
        after[l] = model->turns[lanes[l].bundle].after;
        state[l] = lanes[l].state;
    }
    for (; hops; hops--) {
#pragma GCC unroll 8
        for (size_t l = 0; l < PATH_LANES; l++) {
            uint64_t bits = path_bits(turns[l], state[l]);
            state[l] = after[l][path_first(bits) + (uint8_t)state[l]];
        }
    }
    for (size_t l = 0; l < PATH_LANES; l++)
        at[lanes[l].tree] = lanes[l].bundle * RANK_TESTS + (uint8_t)state[l];
}

/* Finds the exits of all trees of a block on the uppermost level. */
static void path_find_first_exits(const struct path_model *model, size_t unit, const uint8_t *bytes,
                                  uint32_t *at) {
    const struct rank_block *block = &model->ranks.blocks[unit];
    const struct path_lane *lanes = &model->lanes[unit * RANK_BLOCK];
    uint32_t bundles[RANK_BLOCK];
    uint64_t turns[RANK_BLOCK];
    for (uint32_t i = 0; i < RANK_BLOCK; i++)
        bundles[i] = block->first_bundle + i;
    path_evaluate(model, bundles, block->n_bundles, bytes, turns);
    for (uint32_t i = 0; i < block->n_trees; i += PATH_LANES) {
        uint64_t of_lane[PATH_LANES];
        for (uint32_t l = 0; l < PATH_LANES; l++)
            of_lane[l] = turns[lanes[i + l].bundle - block->first_bundle];
        path_go_down(model, lanes + i, of_lane, model->blocks[unit].hops[i / PATH_LANES], at);
    }
}

/* Goes from the exits of one level to those of the level below. */
static void path_find_next_exits(const struct path_model *model, size_t unit, const uint8_t *bytes,
                                 uint32_t *at) {
    uint32_t n = model->ranks.blocks[unit].n_trees;
    uint32_t n_lanes = (n + PATH_LANES - 1) / PATH_LANES * PATH_LANES;
    struct path_lane lanes[RANK_BLOCK];
    uint32_t bundles[RANK_BLOCK];
    uint64_t turns[RANK_BLOCK];
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint32_t tree = i < n ? i : n - 1;
        uint64_t next = model->ranks.exits[at[tree]].next;
        bundles[i] = (uint32_t)(next >> PATH_STATE_BITS);
        lanes[i] = (struct path_lane){bundles[i], (uint16_t)next, (uint16_t)tree};
    }
    path_evaluate(model, bundles, n_lanes, bytes, turns);
    for (uint32_t i = 0; i < n_lanes; i += PATH_LANES)
        path_go_down(model, lanes + i, turns + i, model->blocks[unit].lower_hops, at);
}

static void path_score(const struct scorer *scorer, struct span units, struct span docs,
                       const struct batch *batch) {
    const struct path_model *model = (const struct path_model *)scorer;
    const struct rank_view *view = &model->ranks.view;
    int32_t *keys = (int32_t *)batch->workspace;
    uint8_t *bytes = (uint8_t *)(keys + rank_source_keys(view));
    uint32_t at[RANK_BLOCK];
    for (size_t doc = docs.begin; doc < docs.end; doc += RANK_DOCS) {
        size_t n = docs.end - doc < RANK_DOCS ? docs.end - doc : (size_t)RANK_DOCS;
        for (size_t i = 0; i < n; i++) {
            rank_make_keys(view, batch->x + (doc + i) * batch->stride, keys);
            rank_make_bytes(view, keys, bytes + i * rank_row(view));
        }
        for (size_t unit = units.begin; unit < units.end; unit++)
            for (size_t i = 0; i < n; i++) {
                const uint8_t *row = bytes + i * rank_row(view);
                path_find_first_exits(model, unit, row, at);
                for (uint32_t level = 1; level < view->blocks[unit].levels; level++)
                    path_find_next_exits(model, unit, row, at);
                rank_add_values(view, &view->blocks[unit], at,
                                batch->scores + (doc + i) * view->n_outputs);
            }
    }
}

/* Measured on a Zen 3 with AVX2. */
#define PATH_COST                                                                                  \
    .lanes = 1,                                                                                    \
    .document = {.always = 20, .tree = 3.5, .node = 0.058, .far_node = 0.014, .feature = 1.7}

/* What the descriptors have in common. */
#define PATH_FACTS                                                                                 \
    .source = "docs/floors.md", .kind = IMPL_TRAVERSAL, .family = "rank-paths", .votes = true,     \
    .build = path_build, .score = path_score, .spread = path_spread

#endif
