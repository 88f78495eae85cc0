/* `score` of `rank-levels-*`.
 *
 * The includer defines:
 *
 *   LEVEL_LANES     trees per vector
 *   LEVEL_PARTS     the sizes of a document for which there is specialised code, as LEVEL_CASE(n)
 *   rank_make_keys, rank_make_bytes   as in rank_paths_tmpl.h
 *   level_bytes     a vector of LEVEL_LANES bytes
 *   level_choices   whether a document goes right, in LEVEL_LANES trees
 *   level_parts     a part of a document's bytes, in a register
 *   void level_load_parts(const uint8_t *bytes, uint32_t n_parts, level_parts *parts)
 *   level_bytes level_load(const void *bytes)
 *   level_bytes level_zero(void)
 *   void level_store(uint16_t *to, level_bytes bytes)
 *       stores LEVEL_TREES times each byte
 *   level_bytes level_look_up(const level_parts *parts, uint32_t n_parts, level_bytes columns)
 *   level_choices level_greater(level_bytes bytes, level_bytes thresholds)
 *   level_bytes level_choose(level_bytes left, level_bytes right, level_choices goes_right)
 *   level_bytes level_descend(level_bytes index, level_choices goes_right)
 *       2 * index, + 1 if the document goes right
 */
#ifndef IMPLS_WALKS_RANK_LEVELS_TMPL_H
#define IMPLS_WALKS_RANK_LEVELS_TMPL_H

#include "impls/walks/rank_levels_model.h"

/* level_choose_N chooses one of the 2^N nodes that are `step` nodes apart, by the results of levels
 * 0 to N - 1. The results of the level before are used last, because they are known last. */
RANK_INLINE level_bytes level_choose_0(const uint8_t *nodes, size_t step,
                                       const level_choices *right) {
    (void)step;
    (void)right;
    return level_load(nodes);
}

#define LEVEL_CHOOSE(N, BEFORE)                                                                    \
    RANK_INLINE level_bytes level_choose_##N(const uint8_t *nodes, size_t step,                    \
                                             const level_choices *right) {                         \
        const uint8_t *others = nodes + step * sizeof(struct level_nodes);                         \
        return level_choose(level_choose_##BEFORE(nodes, 2 * step, right),                         \
                            level_choose_##BEFORE(others, 2 * step, right), right[BEFORE]);        \
    }
LEVEL_CHOOSE(1, 0)
LEVEL_CHOOSE(2, 1)
LEVEL_CHOOSE(3, 2)
LEVEL_CHOOSE(4, 3)
LEVEL_CHOOSE(5, 4)
LEVEL_CHOOSE(6, 5)
LEVEL_CHOOSE(7, 6)

RANK_INLINE level_choices level_goes_right(level_bytes columns, level_bytes thresholds,
                                           const level_parts *parts, uint32_t n_parts) {
    return level_greater(level_look_up(parts, n_parts, columns), thresholds);
}

/* Takes the document down LEVEL_LANES trees. Returns the indices of their exit leaves. */
RANK_INLINE level_bytes level_go_down(const struct level_nodes *nodes, size_t lane, uint32_t depth,
                                      const level_parts *parts, uint32_t n_parts) {
    level_choices right[LEVEL_MAX_DEPTH];
    level_bytes index = level_zero();
#define LEVEL_GO(N)                                                                                \
    if (depth == N)                                                                                \
        return index;                                                                              \
    right[N] = level_goes_right(                                                                   \
        level_choose_##N(nodes[(1 << N) - 1].column + lane, 1, right),                             \
        level_choose_##N((const uint8_t *)nodes[(1 << N) - 1].threshold + lane, 1, right), parts,  \
        n_parts);                                                                                  \
    index = level_descend(index, right[N]);
    LEVEL_GO(0)
    LEVEL_GO(1)
    LEVEL_GO(2)
    LEVEL_GO(3)
    LEVEL_GO(4)
    LEVEL_GO(5)
    LEVEL_GO(6)
    LEVEL_GO(7)
#undef LEVEL_GO
    return index;
}

RANK_INLINE void level_find_by(const struct level_model *model, const struct level_block *block,
                               const uint8_t *bytes, uint32_t n_parts, uint16_t *leaves) {
    level_parts parts[RANK_MAX_PARTS];
    level_load_parts(bytes, n_parts, parts);
    for (size_t lane = 0; lane < block->n_trees; lane += LEVEL_LANES)
        level_store(leaves + lane, level_go_down(&model->nodes[block->first_node], lane,
                                                 block->depth, parts, n_parts));
}

/* Finds the exit leaves of the trees of a block. */
static void level_find(const struct level_model *model, const struct level_block *block,
                       const uint8_t *bytes, uint16_t *leaves) {
    uint32_t n_parts = (model->ranks.view.n_columns + RANK_PART - 1) / RANK_PART;
#define LEVEL_CASE(n)                                                                              \
    if (n_parts <= n) {                                                                            \
        level_find_by(model, block, bytes, n, leaves);                                             \
        return;                                                                                    \
    }
    LEVEL_PARTS
#undef LEVEL_CASE
}

/* The value of a tree's exit leaf; `leaf` is its distance from the tree's first leaf. */
RANK_INLINE double level_value(const double *values, size_t tree, uint16_t leaf) {
    return values[tree + leaf];
}

static void level_add_values(const struct level_model *model, const struct level_block *block,
                             const uint16_t *leaves, double *scores) {
    const double *values = &model->values[block->first_value];
    const uint32_t *output = &model->output[block->first_tree];
    if (model->ranks.scorer.n_outputs > 1) {
        for (size_t t = 0; t < block->n_trees; t++) {
            double value = level_value(values, t, leaves[t]);
            if (model->ranks.scorer.votes)
                scores[(size_t)value] += 1;
            else
                scores[output[t]] += value;
        }
        return;
    }
    double sum = *scores;
    if (block->n_trees == LEVEL_TREES) /* unrolled, so that the next block's trees are begun */
#pragma GCC unroll 64
        for (size_t t = 0; t < LEVEL_TREES; t++)
            sum += level_value(values, t, leaves[t]);
    else
        for (size_t t = 0; t < block->n_trees; t++)
            sum += level_value(values, t, leaves[t]);
    *scores = sum;
}

/* Scores a document by the blocks [begin, end). The values of a block are added after the walk of
 * the next block. Each addition waits for the one before, and the walk fills these pauses. */
static void level_score_blocks(const struct level_model *model, size_t begin, size_t end,
                               const uint8_t *bytes, double *scores) {
    uint16_t leaves[2][LEVEL_TREES] __attribute__((aligned(64)));
    for (size_t b = begin; b <= end; b++) {
        if (b < end)
            level_find(model, &model->blocks[b], bytes, leaves[b % 2]);
        if (b > begin)
            level_add_values(model, &model->blocks[b - 1], leaves[(b - 1) % 2], scores);
    }
}

static void level_score(const struct scorer *scorer, struct span units, struct span docs,
                        const struct batch *batch) {
    const struct level_model *model = (const struct level_model *)scorer;
    const struct rank_view *view = &model->ranks.view;
    int32_t *keys = (int32_t *)batch->workspace;
    uint8_t *bytes = (uint8_t *)(keys + rank_source_keys(view));
    for (size_t doc = docs.begin; doc < docs.end; doc += RANK_DOCS) {
        size_t n = docs.end - doc < RANK_DOCS ? docs.end - doc : (size_t)RANK_DOCS;
        for (size_t i = 0; i < n; i++) {
            rank_make_keys(view, batch->x + (doc + i) * batch->stride, keys);
            rank_make_bytes(view, keys, bytes + i * rank_row(view));
        }
        for (size_t unit = units.begin; unit < units.end; unit += LEVEL_BLOCKS) {
            size_t left = units.end - unit,
                   end = unit + (left < LEVEL_BLOCKS ? left : LEVEL_BLOCKS);
            for (size_t i = 0; i < n; i++)
                level_score_blocks(model, unit, end, bytes + i * rank_row(view),
                                   batch->scores + (doc + i) * scorer->n_outputs);
        }
    }
}

/* Measured on a Zen 3 with AVX2. */
#define LEVEL_COST                                                                                 \
    .lanes = 1, .document = {.always = 30, .node = 0.017, .level = 0.38, .feature = 1.6}

/* What the descriptors have in common. */
#define LEVEL_FACTS                                                                                \
    .source = "docs/floors.md", .kind = IMPL_TRAVERSAL, .family = "rank-levels", .votes = true,    \
    .build = level_build, .score = level_score, .spread = level_spread

#endif
