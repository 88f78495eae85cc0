/* Takes one document down eight trees at once, in general registers, on every processor. While a
 * load of one tree is under way, the processor works on the other seven trees. */
#include "impls/walks/walk_model.h"

enum { WALK_LANES = 8, WALK_STEPS = 1 };

/* If `layout` is a constant, the compiler specialises the code for it. */
static inline __attribute__((always_inline)) void go_down(const struct walk_model *model,
                                                          const uint32_t *row, size_t step,
                                                          struct walk_layout layout,
                                                          double *values) {
    const uint32_t *nodes = model->nodes;
    size_t lane = step * WALK_LANES;
    uint64_t i[WALK_LANES];
    for (size_t l = 0; l < WALK_LANES; l++)
        i[l] = model->root[lane + l];
    for (uint32_t level = model->levels[step]; level; level--) {
#pragma GCC unroll 8
        for (size_t l = 0; l < WALK_LANES; l++) {
            uint32_t node = nodes[i[l]];
            uint64_t left = i[l] + (node & walk_mask(layout.next));
            uint32_t word = row[node >> layout.next & walk_mask(layout.column)];
            i[l] = word > node ? left + 1 : left; /* compiles to an addition with carry */
        }
    }
    for (size_t l = 0; l < WALK_LANES; l++) {
        uint32_t leaf = nodes[i[l]] >> walk_number_shift(layout);
        values[model->slot[lane + l]] = model->values[model->first_value[lane + l] + leaf];
    }
}

static bool is_layout(const struct walk_model *model, struct walk_layout layout) {
    return model->layout.next == layout.next && model->layout.column == layout.column;
}

static void walk_down(const struct walk_model *model, const uint32_t *row, size_t step,
                      uint32_t n_steps, double *values) {
    static const struct walk_layout known[] = {WALK_LAYOUTS};
    (void)n_steps; /* always 1, because WALK_STEPS is 1 */
    if (is_layout(model, known[0]))
        go_down(model, row, step, known[0], values);
    else if (is_layout(model, known[1]))
        go_down(model, row, step, known[1], values);
    else if (is_layout(model, known[2]))
        go_down(model, row, step, known[2], values);
    else
        go_down(model, row, step, model->layout, values);
}

#include "impls/walks/walk_tmpl.h"

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1,
                   .document = {.always = 32,
                                .level = 0.94,
                                .far_level = 1.5,
                                .feature = 0.22,
                                .bisection = 0.96}},
    [IMPL_NO_VBMI] = {
        .lanes = 1,
        .document = {
            .always = 110, .level = 0.89, .far_level = 0.21, .feature = 1.2, .bisection = 0.35}}};

const struct impl impl_interleaved = {
    .name = "interleaved", .title = "Interleaved trees", .costs = costs, WALK_FACTS};
