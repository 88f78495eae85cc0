/* `score` of `interleaved` and `gather-*`.
 *
 * The includer defines:
 *
 *   WALK_LANES   trees per step
 *   WALK_STEPS   the most steps that are walked at once
 *   void walk_down(const struct walk_model *model, const uint32_t *row, size_t first_step,
 *                  uint32_t n_steps, double *values)
 *       takes a document, given by its row of words, down the trees of the steps, and stores the
 *       values of its exit leaves in the slots of the trees
 */
#ifndef IMPLS_WALKS_WALK_TMPL_H
#define IMPLS_WALKS_WALK_TMPL_H

#include "impls/walks/walk_model.h"

/* Makes the words of WALK_SEARCHES columns, which have the same number of levels, by binary
 * searches without branches. The searches run side by side, because each search waits for its own
 * loads most of the time. */
static inline void make_words(const struct walk_model *model, const struct walk_column *columns,
                              const float *x, uint32_t *words) {
    const float *thresholds[WALK_SEARCHES];
    float value[WALK_SEARCHES];
    uint32_t rank[WALK_SEARCHES] = {0};
    for (size_t c = 0; c < WALK_SEARCHES; c++) {
        thresholds[c] = model->thresholds + columns[c].first_threshold;
        value[c] = x[columns[c].feature];
    }
    for (uint32_t step = (1u << columns->levels) >> 1; step; step >>= 1) {
#pragma GCC unroll 8
        for (size_t c = 0; c < WALK_SEARCHES; c++)
            rank[c] += value[c] > thresholds[c][rank[c] + step - 1] ? step : 0;
    }
    for (size_t c = 0; c < WALK_SEARCHES; c++) {
        uint32_t of_value = value[c] != value[c] ? columns[c].nan_rank : rank[c];
        words[c] = of_value << walk_number_shift(model->layout);
    }
}

static void make_row(const struct walk_model *model, const float *x, uint32_t *row) {
    for (uint32_t c = 0; c < model->n_columns; c += WALK_SEARCHES)
        make_words(model, model->columns + c, x, row + c);
    row[model->n_columns] = 0;
}

/* `values` has WALK_BLOCK values for each document. The trees of a few steps stay in the caches
 * while all documents go down them. */
static void walk_block(const struct walk_model *model, const struct walk_block *block,
                       const uint32_t *rows, size_t n_docs, double *values) {
    for (uint32_t step = 0; step < block->n_steps; step += WALK_STEPS) {
        uint32_t left = block->n_steps - step, n = left < WALK_STEPS ? left : WALK_STEPS;
        for (size_t doc = 0; doc < n_docs; doc++)
            walk_down(model, rows + doc * walk_row(model), block->first_step + step, n,
                      values + doc * WALK_BLOCK);
    }
}

static void add_values(const struct walk_model *model, const struct walk_block *block,
                       const double *values, double *scores) {
    if (model->scorer.n_outputs > 1) {
        for (uint32_t t = 0; t < block->n_trees; t++) {
            if (model->scorer.votes)
                scores[(size_t)values[t]] += 1;
            else
                scores[model->output[block->first_tree + t]] += values[t];
        }
        return;
    }
    double sum = *scores;
    for (uint32_t t = 0; t < block->n_trees; t++)
        sum += values[t];
    *scores = sum;
}

static void walk_score(const struct scorer *scorer, struct span units, struct span docs,
                       const struct batch *batch) {
    const struct walk_model *model = (const struct walk_model *)scorer;
    double *values = batch->workspace;
    uint32_t *rows = (void *)(values + WALK_DOCS * WALK_BLOCK);
    for (size_t doc = docs.begin; doc < docs.end; doc += WALK_DOCS) {
        size_t n = docs.end - doc < WALK_DOCS ? docs.end - doc : WALK_DOCS;
        for (size_t i = 0; i < n; i++)
            make_row(model, batch->x + (doc + i) * batch->stride, rows + i * walk_row(model));
        for (size_t unit = units.begin; unit < units.end; unit++) {
            const struct walk_block *block = &model->blocks[unit];
            walk_block(model, block, rows, n, values);
            for (size_t i = 0; i < n; i++)
                add_values(model, block, values + i * WALK_BLOCK,
                           batch->scores + (doc + i) * scorer->n_outputs);
        }
    }
}

static enum status walk_tmpl_build(const struct impl *impl, const struct ensemble *ensemble,
                                   const struct options *options, struct scorer **scorer,
                                   struct error *error) {
    (void)options;
    return walk_build(impl, WALK_LANES, ensemble, scorer, error);
}

/* What the descriptors have in common. */
#define WALK_FACTS                                                                                 \
    .source = "docs/floors.md", .kind = IMPL_TRAVERSAL, .votes = true, .build = walk_tmpl_build,   \
    .score = walk_score, .spread = walk_spread

#endif
