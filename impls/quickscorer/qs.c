/* QUICKSCORER (lettich2018 section 2.1, algorithm 1) and BWQS (section 3; jin2016 section 5.3).
 * BWQS is QUICKSCORER with several blocks of trees. A block stays in the cache while a step of
 * documents is scored.
 *
 * Each false node (qs_model.h) takes 5 instructions and an eighth of 4 more, with 4 loads and one
 * store. That is 1.3 cycles at 3 loads per cycle. The branch that ends a list is usually
 * mispredicted, which costs 32 to 41 cycles on Zen 3 (docs/floors.md). */
#include "impls/quickscorer/qs_model.h"

#include <math.h>
#include <string.h>

/* Documents per step of BWQS. If each block of documents (impls/order.h) is one step, this many
 * documents are scored with one block of trees before the next block of trees. */
enum { BWQS_STEP = 64 };

/* --- kernels: `width` is a constant ----------------------------------------------------------- */

QS_INLINE void clear(const struct qs_block *block, size_t i, enum qs_width width, void *sets) {
    if (width == QS_32)
        ((uint32_t *)sets)[block->word[i]] &= ((const uint32_t *)block->mask)[i];
    else
        ((uint64_t *)sets)[block->word[i]] &= ((const uint64_t *)block->mask)[i];
}

/* Clears with the entries from i on whose thresholds are less than x. The block is a copy, so that
 * compilers see that leaf sets do not change it. */
QS_INLINE void clear_below(struct qs_block block, size_t i, float x, enum qs_width width,
                           void *sets) {
    enum { UNROLLED = 8 };
    for (;; i += UNROLLED)
#pragma GCC unroll 8
        for (size_t j = 0; j < UNROLLED; j++) {
            if (!(x > block.threshold[i + j]))
                return;
            clear(&block, i + j, width, sets);
        }
}

/* The entry after the list ends it, also for NaN. */
QS_INLINE void clear_list(const struct qs_block *block, const struct qs_list *list, float x,
                          enum qs_width width, void *sets) {
    if (list->nan_left || !isnan(x))
        clear_below(*block, list->begin, x, width, sets);
    else
        for (size_t i = list->begin; i < list->end; i++)
            clear(block, i, width, sets);
}

/* The tree's exit leaf, counted from the left. */
QS_INLINE uint32_t exit_leaf(const struct qs_block *block, size_t tree, enum qs_width width,
                             const void *sets) {
    if (width == QS_32)
        return (uint32_t)__builtin_ctz(((const uint32_t *)sets)[tree]);
    const uint64_t *set = sets;
    if (width == QS_64)
        return (uint32_t)__builtin_ctzll(set[tree]);
    uint32_t leaf = 0;
    for (set += block->first_word[tree]; *set == 0; set++)
        leaf += 64;
    return leaf + (uint32_t)__builtin_ctzll(*set);
}

/* What the value of an exit leaf adds to. */
enum addition { TO_ONE_OUTPUT, TO_OUTPUT_OF_TREE, TO_CLASS };

QS_INLINE void add_values(const struct qs_block *block, enum qs_width width, enum addition addition,
                          const void *sets, double *scores) {
    double sum = scores[0];
#pragma GCC unroll 4
    for (size_t tree = 0; tree < block->n_trees; tree++) {
        uint32_t leaf = exit_leaf(block, tree, width, sets);
        double value = block->value[block->first_value[tree] + leaf];
        if (addition == TO_ONE_OUTPUT)
            sum += value;
        else if (addition == TO_CLASS)
            scores[(size_t)value] += 1;
        else
            scores[block->output[tree]] += value;
    }
    if (addition == TO_ONE_OUTPUT)
        scores[0] = sum;
}

QS_INLINE void score_width(const struct qs_block *block, const float *x, enum qs_width width,
                           enum addition addition, void *sets, double *scores) {
    memset(sets, 0xff, block->n_words * qs_word_size(width));
    for (size_t i = 0; i < block->n_lists; i++) {
        const struct qs_list *list = &block->lists[i];
        clear_list(block, list, x[list->feature], width, sets);
    }
    if (addition == TO_ONE_OUTPUT)
        add_values(block, width, TO_ONE_OUTPUT, sets, scores);
    else if (addition == TO_CLASS)
        add_values(block, width, TO_CLASS, sets, scores);
    else
        add_values(block, width, TO_OUTPUT_OF_TREE, sets, scores);
}

static void score_document(const struct qs_block *block, const float *x, enum addition addition,
                           void *sets, double *scores) {
    switch (block->width) {
    case QS_32:
        score_width(block, x, QS_32, addition, sets, scores);
        break;
    case QS_64:
        score_width(block, x, QS_64, addition, sets, scores);
        break;
    case QS_MANY_WORDS:
        score_width(block, x, QS_MANY_WORDS, addition, sets, scores);
        break;
    }
}

/* --- the implementations ---------------------------------------------------------------------- */

static void qs_score(const struct scorer *scorer, struct span units, struct span docs,
                     const struct batch *batch) {
    const struct qs_model *model = (const struct qs_model *)scorer;
    enum addition addition = scorer->votes            ? TO_CLASS
                             : scorer->n_outputs == 1 ? TO_ONE_OUTPUT
                                                      : TO_OUTPUT_OF_TREE;
    for (size_t unit = units.begin; unit < units.end; unit++)
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            score_document(&model->blocks[unit], batch->x + doc * batch->stride, addition,
                           batch->workspace, batch->scores + doc * scorer->n_outputs);
}

static enum status build_qs(const struct impl *impl, const struct ensemble *ensemble,
                            const struct options *options, struct scorer **scorer,
                            struct error *error) {
    const struct qs_kind kind = {.lanes = 1, .step = 1, .blocks = false, .any_leaves = true};
    return qs_build(impl, &kind, ensemble, options, scorer, error);
}

static enum status build_bwqs(const struct impl *impl, const struct ensemble *ensemble,
                              const struct options *options, struct scorer **scorer,
                              struct error *error) {
    const struct qs_kind kind = {.lanes = 1, .step = BWQS_STEP, .blocks = true, .any_leaves = true};
    return qs_build(impl, &kind, ensemble, options, scorer, error);
}

static const struct impl_param bwqs_params[] = {QS_TAU_PARAM("auto"), {NULL, NULL, NULL, NULL}};

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] =
        {.lanes = 1,
         .document = {.always = 10, .tree = 0.6, .node = 0.21, .far_node = 0.06, .feature = 6.8}},
    [IMPL_NO_VBMI] = {
        .lanes = 1,
        .document = {.always = 12, .tree = 0.56, .node = 0.2, .far_node = 0.01, .feature = 4.3}}};

/* What the descriptors have in common. */
#define QS_FACTS .lambda = 4, .kind = IMPL_TRAVERSAL, .votes = true, .score = qs_score

const struct impl impl_qs = {.name = "qs",
                             .title = "QUICKSCORER",
                             .roles = IMPL_EXAMPLE,
                             .source = "lettich2018 section 2.1",
                             .params = qs_params,
                             .costs = costs,
                             .build = build_qs,
                             QS_FACTS};

const struct impl impl_bwqs = {.name = "bwqs",
                               .title = "BWQS",
                               .source = "lettich2018 section 3",
                               .params = bwqs_params,
                               .build = build_bwqs,
                               QS_FACTS};
