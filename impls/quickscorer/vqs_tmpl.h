/* V-QUICKSCORER: lettich2018 section 4, algorithm 2. Scores several documents at once, one per
 * lane, each with its own leaf sets. A list ends at the first node that is false for none of the
 * documents. A node changes only the leaf sets of documents for which it is false.
 *
 * The includer defines, for its instruction set:
 *
 *   VQS_LANES          number of documents
 *   VQS_MASKED_STORE   1 if vqs_keep_32 has a second form, which the option `store` chooses
 *   vqs_floats         one value per document
 *   vqs_lanes          a subset of the documents
 *   static const unsigned vqs_order_64[]   the document in each lane, for 64-bit leaf sets
 *
 *   vqs_floats vqs_load(const float *const *rows, uint32_t feature)
 *       rows[lane][feature]
 *   vqs_lanes vqs_false_for(vqs_floats x, float threshold, bool nan_left)
 *       the documents for which a node is false
 *   bool vqs_any(vqs_lanes false_for)
 *       is false_for not empty?
 *   void vqs_keep_32(uint32_t *sets, uint32_t mask, vqs_lanes false_for, bool masked)
 *   void vqs_keep_64(uint64_t *sets, uint64_t mask, vqs_lanes false_for)
 *       leaf sets of the documents in false_for &= mask; `masked` chooses the second form
 *
 * All of these functions are QS_INLINE, so that nan_left and masked become constants. */
#ifndef IMPLS_QUICKSCORER_VQS_TMPL_H
#define IMPLS_QUICKSCORER_VQS_TMPL_H

#include "impls/quickscorer/qs_model.h"

#include <string.h>

/* Documents that are scored together. If there are fewer than VQS_LANES, copies of the last
 * document fill the remaining lanes. The copies make no list longer. */
struct vqs_group {
    const float *rows[VQS_LANES];
    double *scores; /* of the first document */
    size_t n_docs, n_outputs;
};

QS_INLINE void vqs_walk_list(const struct qs_block *block, const struct qs_list *list, vqs_floats x,
                             bool nan_left, enum qs_width width, bool masked, void *sets) {
    const float *threshold = block->threshold;
    const uint32_t *word = block->word, *narrow = block->mask;
    const uint64_t *wide = block->mask;
    for (size_t i = list->begin, end = list->end; i < end; i++) {
        vqs_lanes false_for = vqs_false_for(x, threshold[i], nan_left);
        if (!vqs_any(false_for))
            break;
        if (width == QS_32)
            vqs_keep_32((uint32_t *)sets + word[i], narrow[i], false_for, masked);
        else
            vqs_keep_64((uint64_t *)sets + word[i], wide[i], false_for);
    }
}

QS_INLINE uint32_t vqs_exit_leaf(const void *sets, size_t word, enum qs_width width) {
    return width == QS_32 ? (uint32_t)__builtin_ctz(((const uint32_t *)sets)[word])
                          : (uint32_t)__builtin_ctzll(((const uint64_t *)sets)[word]);
}

/* Each addition reads its value from memory. The paper first gathers several values into a vector,
 * which would only add instructions here. */
QS_INLINE void vqs_add_values(const struct qs_block *block, const struct vqs_group *group,
                              enum qs_width width, const void *sets) {
    double sums[VQS_LANES] = {0};
    for (size_t lane = 0; lane < group->n_docs; lane++)
        sums[lane] = group->scores[lane];
    for (size_t tree = 0; tree < block->n_trees; tree++) {
        const double *value = block->value + block->first_value[tree];
        for (size_t lane = 0; lane < VQS_LANES; lane++)
            sums[lane] += value[vqs_exit_leaf(sets, tree * VQS_LANES + lane, width)];
    }
    for (size_t lane = 0; lane < group->n_docs; lane++)
        group->scores[lane] = sums[lane];
}

QS_INLINE void vqs_add_values_to_outputs(const struct qs_block *block,
                                         const struct vqs_group *group, enum qs_width width,
                                         const void *sets) {
    for (size_t tree = 0; tree < block->n_trees; tree++) {
        const double *value = block->value + block->first_value[tree];
        for (size_t lane = 0; lane < group->n_docs; lane++)
            group->scores[lane * group->n_outputs + block->output[tree]] +=
                value[vqs_exit_leaf(sets, tree * VQS_LANES + lane, width)];
    }
}

QS_INLINE void vqs_score_group(const struct qs_block *block, const struct vqs_group *group,
                               enum qs_width width, bool masked, void *sets) {
    const float *rows[VQS_LANES];
    for (size_t lane = 0; lane < VQS_LANES; lane++)
        rows[lane] = group->rows[width == QS_32 ? lane : vqs_order_64[lane]];
    memset(sets, 0xff, block->n_words * VQS_LANES * qs_word_size(width));
    for (size_t i = 0; i < block->n_lists; i++) {
        const struct qs_list *list = &block->lists[i];
        vqs_floats x = vqs_load(rows, list->feature);
        if (list->nan_left)
            vqs_walk_list(block, list, x, true, width, masked, sets);
        else
            vqs_walk_list(block, list, x, false, width, masked, sets);
    }
    if (group->n_outputs == 1)
        vqs_add_values(block, group, width, sets);
    else
        vqs_add_values_to_outputs(block, group, width, sets);
}

static void vqs_score(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch) {
    const struct qs_model *model = (const struct qs_model *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct qs_block *block = &model->blocks[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc += VQS_LANES) {
            struct vqs_group group = {.scores = batch->scores + doc * scorer->n_outputs,
                                      .n_docs =
                                          docs.end - doc < VQS_LANES ? docs.end - doc : VQS_LANES,
                                      .n_outputs = scorer->n_outputs};
            for (size_t lane = 0; lane < VQS_LANES; lane++)
                group.rows[lane] =
                    batch->x +
                    (doc + (lane < group.n_docs ? lane : group.n_docs - 1)) * batch->stride;
            if (block->width == QS_64)
                vqs_score_group(block, &group, QS_64, false, batch->workspace);
            else if (VQS_MASKED_STORE && model->masked_store)
                vqs_score_group(block, &group, QS_32, true, batch->workspace);
            else
                vqs_score_group(block, &group, QS_32, false, batch->workspace);
        }
    }
}

static enum status vqs_build(const struct impl *impl, const struct ensemble *ensemble,
                             const struct options *options, struct scorer **scorer,
                             struct error *error) {
    const struct qs_kind kind = {.lanes = VQS_LANES, .step = VQS_LANES};
    return qs_build(impl, &kind, ensemble, options, scorer, error);
}

/* What the descriptors of all instruction sets have in common. */
#define VQS_FACTS .family = "vqs", .lambda = 4, .kind = IMPL_TRAVERSAL, .score = vqs_score

#endif
