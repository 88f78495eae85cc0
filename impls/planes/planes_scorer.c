#include "impls/planes/planes_scorer.h"

#include "impls/planes/kernel/planes_tables.h"

#include <inttypes.h>
#include <stdio.h>

const struct impl_cost planes_vbmi_costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 512,
                   .step = {.always = 150, .piece = 16, .piece_node = 1.9, .feature = 35},
                   .document = {.always = 1, .piece = 0.12, .feature = 0.23}}};

/* Compiled trees larger than this are loaded from main memory again and again, because a core has
 * only a share of the last-level cache. Code comes from memory more slowly than data. Therefore
 * each time that a bundle's code is loaded, it scores several blocks of documents. */
enum { FAR_BYTES = 16 << 20 };

/* Writes a note if the values of some trees are added in double although the user asked for sums in
 * float. */
static void note_doubles(const struct planes_shape *shape, struct planes_scorer *made) {
    const struct planes_model *model = &made->model;
    size_t n_doubles = 0;
    for (size_t i = 0; i < model->n_bundles; i++)
        if (model->bundles[i].table_codes == 0)
            n_doubles += model->bundles[i].n_trees;
    if (shape->float_codes == 0 || shape->in_chain || n_doubles == 0)
        return;
    snprintf(made->note, sizeof made->note,
             "%s,sums=float: %zu of %zu trees or pieces of trees are added in double, because they "
             "or trees next to them have over %" PRIu32 " leaves",
             shape->impl, n_doubles, model->n_trees, shape->float_codes);
    made->scorer.note = made->note;
    if (n_doubles == model->n_trees)
        made->scorer.float_trees = 0;
}

enum status planes_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct planes_shape *shape, size_t fixed_bytes,
                                struct scorer **scorer, struct error *error) {
    struct planes_scorer *made = scorer_create(sizeof *made, impl, ensemble, 0, 0, error);
    if (!made)
        return STATUS_MEMORY;
    enum status status = planes_model_build(ensemble, shape, &made->model, error);
    /* Nodes that only pad a bundle read the first test, so there is room for at least one test. */
    size_t bytes = fixed_bytes + (planes_model_planes(&made->model) + 1) * shape->plane_bytes;
    made->block_bytes = (bytes + PLANES_LINE - 1) / PLANES_LINE * PLANES_LINE;
    made->n_blocks = shape->compiler && made->model.bytes > FAR_BYTES ? PLANES_BLOCKS : 1;
    made->scorer.n_units = (made->model.n_bundles + PLANES_UNIT - 1) / PLANES_UNIT;
    made->scorer.lanes = shape->plane_bytes * 8 * (unsigned)made->n_blocks;
    made->in_chain = shape->in_chain;
    if (shape->in_chain)
        made->scorer.float_trees = UINT32_MAX;
    else if (shape->float_codes)
        made->scorer.float_trees = PLANES_FLOAT_TREES;
    made->scorer.bytes = made->model.bytes;
    made->scorer.workspace = made->n_blocks * made->block_bytes;
    note_doubles(shape, made);
    return scorer_finish(&made->scorer, status, scorer, error);
}

void planes_scorer_destroy(struct scorer *scorer) {
    planes_model_free(&((struct planes_scorer *)scorer)->model);
}
