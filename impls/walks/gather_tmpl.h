/* Implements walk_down with gather instructions.
 *
 * The includer defines, for its instruction set:
 *
 *   WALK_LANES     words of 32 bits per vector
 *   gather_lanes   the vector
 *
 *   gather_lanes gather_load(const uint32_t *from)             aligned
 *   void gather_store(uint32_t *to, gather_lanes v)            aligned
 *   gather_lanes gather_set(uint32_t word)                     the same word in all lanes
 *   gather_lanes gather_and(gather_lanes a, gather_lanes b)
 *   gather_lanes gather_add(gather_lanes a, gather_lanes b)
 *   gather_lanes gather_shift(gather_lanes v, int count)       to the right
 *   gather_lanes gather_words(const uint32_t *words, gather_lanes index)      words[index]
 *   gather_lanes gather_add_greater(gather_lanes v, gather_lanes a, gather_lanes b)
 *       v + (a > b), unsigned
 */
#ifndef IMPLS_WALKS_GATHER_TMPL_H
#define IMPLS_WALKS_GATHER_TMPL_H

#include "impls/walks/walk_model.h"

#define GATHER_INLINE static inline __attribute__((always_inline))
enum { WALK_STEPS = 4 };

/* `n_steps` is a constant. Each step (struct walk_block) has its own register, so the gathers of
 * one step never wait for those of another step. */
GATHER_INLINE void gather_down(const struct walk_model *model, const uint32_t *row, size_t step,
                               uint32_t n_steps, double *values) {
    const gather_lanes next_mask = gather_set(walk_mask(model->layout.next));
    const gather_lanes column_mask = gather_set(walk_mask(model->layout.column));
    const int column_shift = (int)model->layout.next;
    gather_lanes at[WALK_STEPS];
    for (uint32_t s = 0; s < n_steps; s++)
        at[s] = gather_load(model->root + (step + s) * WALK_LANES);
    for (uint32_t level = model->levels[step + n_steps - 1]; level; level--) {
#pragma GCC unroll 4
        for (uint32_t s = 0; s < n_steps; s++) {
            gather_lanes node = gather_words(model->nodes, at[s]);
            gather_lanes column = gather_and(gather_shift(node, column_shift), column_mask);
            gather_lanes left = gather_add(at[s], gather_and(node, next_mask));
            at[s] = gather_add_greater(left, gather_words(row, column), node);
        }
    }
    for (uint32_t s = 0; s < n_steps; s++) {
        _Alignas(64) uint32_t value[WALK_LANES];
        size_t lane = (step + s) * WALK_LANES;
        gather_lanes number =
            gather_shift(gather_words(model->nodes, at[s]), (int)walk_number_shift(model->layout));
        gather_store(value, gather_add(number, gather_load(model->first_value + lane)));
        for (size_t l = 0; l < WALK_LANES; l++)
            values[model->slot[lane + l]] = model->values[value[l]];
    }
}

static void walk_down(const struct walk_model *model, const uint32_t *row, size_t step,
                      uint32_t n_steps, double *values) {
    switch (n_steps) {
    case 1:
        gather_down(model, row, step, 1, values);
        break;
    case 2:
        gather_down(model, row, step, 2, values);
        break;
    case 3:
        gather_down(model, row, step, 3, values);
        break;
    default:
        gather_down(model, row, step, WALK_STEPS, values);
    }
}

#include "impls/walks/walk_tmpl.h"

#endif
