/* Writes the tables of `rank-bytes`, which scores one document at a time with AVX-512. */
#include "export/parts.h"
#include "export/table.h"
#include "impls/auto/auto_default.h"
#include "impls/planes/planes_scorer.h"
#include "models/rewrite.h"

#include <inttypes.h>

/* --- the model -------------------------------------------------------------------------------- */

/* Sets become plain tests. Each needs some bytes in the exported file and in the caches. */
enum { GROWTH_MAX = 8, NODES_FREE = 10000 };

static enum status build_plain(const struct ensemble *ensemble, struct rank_model **rank,
                               struct error *error) {
    struct scorer *scorer;
    enum status status = rank_build(&impl_rank_bytes, ensemble, NULL, &scorer, error);
    if (!status)
        *rank = (struct rank_model *)scorer;
    return status;
}

enum status export_rank_bytes_build(struct export_model *model, struct error *error) {
    const struct ensemble *e = model->ensemble;
    struct ensemble *plain;
    struct error reason;
    if (!e->set)
        return build_plain(e, &model->rank_bytes, error);
    enum status status = ensemble_rewrite_sets(e, &plain, &reason);
    if (status)
        return error_set(error, status, "rank-bytes: does not support categories, and %s",
                         reason.text);
    if (plain->n_nodes > GROWTH_MAX * e->n_nodes + NODES_FREE)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "rank-bytes: does not support categories, and without them the model "
                           "has %zu nodes instead of %zu. Use planes or struct-plus",
                           plain->n_nodes, e->n_nodes);
    else
        status = build_plain(plain, &model->rank_bytes, error);
    ensemble_free(plain);
    return status;
}

size_t export_rank_bytes_workspace(const struct export_model *model) {
    return rank_workspace(&model->rank_bytes->view) + PLANES_LINE;
}

/* Finds the smallest call for which a block of planes takes less time than `rank-bytes`, by the
 * default costs of `auto`. */
enum status export_few_make(struct export_model *model, struct error *error) {
    struct auto_cost planes, rank_bytes;
    if (!model->has_planes || !model->rank_bytes)
        return STATUS_OK;
    enum status status =
        auto_default_cost(model->ensemble, &planes_vbmi_costs[IMPL_VBMI], &planes, error);
    if (!status)
        status = auto_default_cost(model->ensemble, &impl_rank_bytes.costs[IMPL_VBMI], &rank_bytes,
                                   error);
    size_t few = 1;
    while (!status && few < planes.lanes &&
           auto_cost_of(&rank_bytes, few) < auto_cost_of(&planes, few))
        few++;
    model->few_avx512 = few;
    return status;
}

/* --- tables ----------------------------------------------------------------------------------- */

static const struct rank_model *rank_of(const struct text_place *place) {
    return ((const struct export_model *)place->context)->rank_bytes;
}

static void write_blocks(const struct text_place *place) {
    const struct rank_model *rank = rank_of(place);
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < rank->scorer.n_units; i++) {
        const struct rank_block *block = &rank->blocks[i];
        table_add(&table,
                  "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "}",
                  block->first_tree, block->n_trees, block->first_bundle, block->n_bundles,
                  block->levels, block->doublings);
    }
    table_end(&table, "");
}

static void write_bundles(const struct text_place *place) {
    const struct rank_model *rank = rank_of(place);
    for (size_t b = 0; b < rank->n_bundles; b++) {
        const struct rank_bundle *bundle = &rank->bundles[b];
        const uint8_t *const lists[] = {bundle->column, bundle->threshold, bundle->left,
                                        bundle->right};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            fputs(i ? "    }, {\n" : "    {{\n", place->stream);
            table_write(place->stream,
                        &(const struct table_array){NUMBER_U8, lists[i], RANK_TESTS, NULL, ""});
        }
        fputs("    }},\n", place->stream);
    }
}

static void write_groups(const struct text_place *place) {
    const struct rank_model *rank = rank_of(place);
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < rank->view.n_groups; i++)
        table_add(&table, "{%" PRIu32 ", %" PRIu16 "}", rank->groups[i].feature,
                  rank->groups[i].present);
    table_end(&table, "{0, 0}");
}

static void write_columns(const struct text_place *place) {
    const struct rank_model *rank = rank_of(place);
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < rank->view.n_columns; i++)
        table_add(&table, "{%" PRIu32 ", %" PRIu32 "}", rank->columns[i].source,
                  rank->columns[i].first_key);
    table_end(&table, "{0, 0}");
}

/* The members of a struct rank_view. */
static void write_view(const struct text_place *place) {
    const struct rank_view *view = &rank_of(place)->view;
    fprintf(place->stream,
            "    %" PRIu32 ", %d, rank_blocks, %s, rank_first_exits, rank_bundles, rank_in_table,\n"
            "    rank_n_roots, rank_exits, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32
            ", %d, rank_groups, rank_columns, rank_keys\n",
            view->n_outputs, view->votes, view->n_outputs > 1 ? "outputs" : "NULL", view->n_groups,
            view->n_columns, view->n_small, view->n_tables, view->two_sides);
}

const struct text_part export_rank_parts[] = {
    {"blocks", write_blocks, 0},   {"bundles", write_bundles, 0}, {"groups", write_groups, 0},
    {"columns", write_columns, 0}, {"view", write_view, 0},       {NULL, NULL, 0}};
