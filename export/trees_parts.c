/* Writes trees for machines without vector units: as if-else blocks (ifelse-opt), or as tables
 * whose likely paths are contiguous (native-opt). Trees that vote stay one tree for all classes. */
#include "base/memory.h"
#include "export/parts.h"
#include "export/table.h"
#include "impls/framing/framing_scorer.h"
#include "impls/framing/ifelse_source.h"

#include <inttypes.h>

/* The paper's values for small processors: buschjaeger2018 uses them for ARM and PPC. What is
 * exported must not depend on the caches of the machine that exports it. */
enum { KERNEL_BYTES = 32000, TAU = 8 };

/* --- if-else blocks --------------------------------------------------------------------------- */

static enum status write_blocks(struct export_model *model, FILE *stream, struct error *error) {
    const struct ensemble *e = model->ensemble;
    const struct ifelse_form form = {.swap = true,
                                     .by_kernel = true,
                                     .bytes = ifelse_node_bytes(false, e->votes),
                                     .budget = KERNEL_BYTES};
    return ifelse_write_trees(&form, e, (struct span){0, e->n_trees}, stream, error);
}

static enum status make_blocks(struct export_model *model, struct error *error) {
    const struct ensemble *e = model->ensemble;
    const struct frame_bytes bytes = ifelse_node_bytes(false, e->votes);
    size_t size;
    FILE *stream = memory_open_stream(&model->blocks, &size);
    if (!stream)
        return error_memory(error, "generated source");
    enum status status = write_blocks(model, stream, error);
    bool complete = memory_close_stream(stream);
    size_t value = e->votes ? 0 : sizeof(double); /* constants of a leaf; a split has a float */
    model->walk_bytes =
        e->n_nodes * (bytes.split + sizeof(float)) + e->n_leaves * (bytes.leaf + value);
    return status || complete ? status : error_memory(error, "generated source");
}

static void write_trees(const struct text_place *place) {
    fputs(((const struct export_model *)place->context)->blocks, place->stream);
}

static void write_calls(const struct text_place *place) {
    FILE *stream = place->stream;
    const struct ensemble *e = ((const struct export_model *)place->context)->ensemble;
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (e->votes)
            fprintf(stream, "        scores[tree_%" PRIu32 "(x)] += 1;\n", t);
        else
            fprintf(stream, "        scores[%" PRIu32 "] += tree_%" PRIu32 "(x);\n",
                    e->tree_output[t], t);
    if (e->n_trees == 0)
        fputs("        (void)x;\n", stream);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void order_tree(struct export_model *model, uint32_t t, struct frame_tree *tree,
                       struct frame_order *order) {
    size_t first = model->ensemble->tree_node[t];
    frame_tree_fill(tree, model->ensemble, t);
    frame_order_by_sets(order, tree, false, TAU, true);
    for (size_t i = 0; i < order->n_nodes; i++) {
        uint32_t node = tree->number[order->node[i]];
        model->framed[first + i] = node;
        model->framed_place[first + node] = (uint32_t)i;
    }
}

static bool order_trees(struct export_model *model) {
    const struct ensemble *e = model->ensemble;
    size_t largest = ensemble_largest_tree(e);
    struct frame_tree tree;
    struct frame_order order;
    struct memory_pool pool = {0};
    frame_tree_create(&tree, largest, &pool);
    frame_order_create(&order, largest, &pool);
    bool made = !pool.failed;
    for (uint32_t t = 0; made && t < e->n_trees; t++)
        order_tree(model, t, &tree, &order);
    memory_pool_free(&pool);
    return made;
}

/* Are all numbers of children below 65,536? */
static bool has_narrow_children(const struct ensemble *e) {
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (ensemble_tree_nodes(e, t) > UINT16_MAX || framing_predictions(e, t) > UINT16_MAX)
            return false;
    return true;
}

static enum status make_tables(struct export_model *model, struct error *error) {
    const struct ensemble *e = model->ensemble;
    model->framed = memory_pool_array(&model->pool, e->n_nodes, sizeof *model->framed);
    model->framed_place = memory_pool_array(&model->pool, e->n_nodes, sizeof *model->framed_place);
    if (model->pool.failed || !order_trees(model))
        return error_memory(error, "the order of nodes");
    bool narrow_features = e->n_features <= UINT16_MAX, narrow = has_narrow_children(e);
    model->feature_type = narrow_features ? "uint16_t" : "uint32_t";
    model->child_type = narrow ? "uint16_t" : "uint32_t";
    /* a split, a feature with two more bytes, and two children, in whole floats */
    size_t node = sizeof(float) + (narrow_features ? 4 : 8) + (narrow ? 4 : 8);
    model->walk_bytes = e->n_nodes * node + e->n_trees * sizeof(int32_t);
    if (!e->votes)
        model->walk_bytes += e->n_leaves * sizeof(double) + e->n_trees * sizeof(uint32_t);
    if (!e->votes && e->n_outputs > 1)
        model->walk_bytes += e->n_trees * sizeof(uint32_t);
    return STATUS_OK;
}

/* The number that a node stores for a child, and whether that child is a leaf. */
static uint32_t child_number(const struct export_model *model, uint32_t t, int32_t child) {
    const struct ensemble *e = model->ensemble;
    return child < 0 ? framing_prediction(e, t, (uint32_t)~child)
                     : model->framed_place[e->tree_node[t] + (size_t)child];
}

static void write_framed_nodes(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct ensemble *e = model->ensemble;
    struct table table = {.stream = place->stream};
    for (uint32_t t = 0; t < e->n_trees; t++)
        for (size_t i = e->tree_node[t]; i < e->tree_node[t + 1]; i++) {
            size_t node = e->tree_node[t] + model->framed[i];
            int32_t left = e->left[node], right = e->right[node];
            char split[TABLE_NUMBER_SIZE];
            table_format_float(e->threshold[node], split);
            table_add(&table, "{%s, %" PRIu32 ", %d, %d, %" PRIu32 ", %" PRIu32 "}", split,
                      e->feature[node], (left < 0) + 2 * (right < 0), e->nan_left[node],
                      child_number(model, t, left), child_number(model, t, right));
        }
    table_end(&table, "{0.0f, 0, 0, 0, 0, 0}");
}

static void write_first_nodes(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct ensemble *e = model->ensemble;
    struct table table = {.stream = place->stream};
    for (uint32_t t = 0; t < e->n_trees; t++)
        table_add(&table, "%" PRIi64,
                  ensemble_tree_nodes(e, t) ? (int64_t)e->tree_node[t]
                                            : ~(int64_t)framing_prediction(e, t, 0));
    table_end(&table, "");
}

/* ---------------------------------------------------------------------------------------------- */

enum status export_trees_make(struct export_model *model, struct error *error) {
    return model->walk == IMPL_BLOCKS   ? make_blocks(model, error)
           : model->walk == IMPL_FRAMES ? make_tables(model, error)
                                        : STATUS_OK;
}

const struct text_part export_walk_parts[] = {{"functions", write_trees, 0},
                                              {"calls", write_calls, 0},
                                              {"framed_nodes", write_framed_nodes, 0},
                                              {"first_nodes", write_first_nodes, 0},
                                              {NULL, NULL, 0}};
