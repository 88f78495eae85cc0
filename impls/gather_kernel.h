/* walk_down by gathers. The file that includes this defines before, for vectors of WALK_LANES words
 *
 *     lanes                                   the type
 *     lanes_load(from), lanes_store(to, v)    WALK_LANES words, aligned
 *     lanes_set(word)                         the same in all lanes
 *     lanes_and(a, b), lanes_add(a, b), lanes_shift(v, count)    the last to the right
 *     lanes_gather(words, index)
 *     lanes_add_greater(v, a, b)              v + (a > b), without signs */
#ifndef IMPLS_GATHER_KERNEL_H
#define IMPLS_GATHER_KERNEL_H

#include "impls/walk_model.h"

#define GATHER_INLINE static inline __attribute__((always_inline))
enum { WALK_STEPS = 4 };

/* `n_steps` is a constant: each has a register, and its gathers wait for no other's. */
GATHER_INLINE void gather_down(const struct walk_model *model, const uint32_t *row, size_t step,
                               uint32_t n_steps, double *values) {
    const lanes next_mask = lanes_set(walk_mask(model->layout.next));
    const lanes column_mask = lanes_set(walk_mask(model->layout.column));
    const int column_shift = (int)model->layout.next;
    lanes at[WALK_STEPS];
    for (uint32_t s = 0; s < n_steps; s++)
        at[s] = lanes_load(model->root + (step + s) * WALK_LANES);
    for (uint32_t level = model->levels[step + n_steps - 1]; level; level--) {
#pragma GCC unroll 4
        for (uint32_t s = 0; s < n_steps; s++) {
            lanes node = lanes_gather(model->nodes, at[s]);
            lanes column = lanes_and(lanes_shift(node, column_shift), column_mask);
            lanes left = lanes_add(at[s], lanes_and(node, next_mask));
            at[s] = lanes_add_greater(left, lanes_gather(row, column), node);
        }
    }
    for (uint32_t s = 0; s < n_steps; s++) {
        _Alignas(64) uint32_t value[WALK_LANES];
        size_t lane = (step + s) * WALK_LANES;
        lanes number =
            lanes_shift(lanes_gather(model->nodes, at[s]), (int)walk_number_shift(model->layout));
        lanes_store(value, lanes_add(number, lanes_load(model->first_value + lane)));
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

#include "impls/walk_kernel.h"

#endif
