/* Builds the arrays of RapidScorer. */
#include "impls/quickscorer/rapidscorer_model.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "impls/shared/splits.h"
#include "impls/shared/tau.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct impl_param rapid_params[] = {
    {"tau", "trees per block", "auto 1 16 256 all", "auto: bit vectors fill half of the L2 cache"},
    {NULL, NULL, NULL, NULL}};

/* The most trees and the most rows that a block may have. */
struct blocking {
    uint32_t trees, rows;
};

static enum status read_blocking(const struct impl *impl, unsigned lanes,
                                 const struct options *options, struct blocking *blocking,
                                 struct error *error) {
    uint32_t tau;
    enum status status = tau_read(impl, options, TAU_AUTO, &tau, error);
    if (status || tau != TAU_AUTO) {
        *blocking = (struct blocking){tau, RAPID_MAX_BLOCK_ROWS};
        return status;
    }
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    size_t l2 = cpu.l2_bytes ? cpu.l2_bytes : 512 * 1024, rows = l2 / 2 / lanes;
    *blocking = (struct blocking){TAU_ALL, rows < RAPID_MAX_BLOCK_ROWS ? (uint32_t)rows
                                                                       : RAPID_MAX_BLOCK_ROWS};
    return STATUS_OK;
}

/* --- ops before they are sorted ----------------------------------------------------------------*/

struct item {
    uint32_t feature;
    float threshold;
    uint16_t row;
    uint8_t nan_left, keep;
};

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_tests(const struct item *a, const struct item *b) {
    if (a->feature != b->feature)
        return compare(a->feature, b->feature);
    if (a->nan_left != b->nan_left)
        return compare(a->nan_left, b->nan_left);
    return (a->threshold > b->threshold) - (a->threshold < b->threshold);
}

static int compare_items(const void *a_item, const void *b_item) {
    const struct item *a = a_item, *b = b_item;
    int tests = compare_tests(a, b);
    return tests ? tests : compare(a->row, b->row);
}

/* The model that is being built, and temporary memory. */
struct maker {
    const struct ensemble *ensemble;
    struct rapid_model *model;
    struct split *splits; /* of one tree */
    struct item *items;   /* of one block */
    size_t n_items, items_capacity;
    size_t n_blocks, blocks_capacity, n_lists, lists_capacity;
    size_t n_tests, thresholds_capacity, first_op_capacity, n_ops, ops_capacity;
};

/* Adds an item for each byte of the leaf set that has leaves of the split's left subtree. */
static bool add_items(struct maker *maker, const struct item *node, uint32_t first_row,
                      const struct split *split) {
    for (uint32_t row = split->first / 8; 8 * row < split->middle; row++) {
        if (!memory_grow((void **)&maker->items, &maker->items_capacity, maker->n_items,
                         sizeof *maker->items))
            return false;
        uint32_t from = split->first > 8 * row ? split->first - 8 * row : 0;
        uint32_t to = split->middle < 8 * row + 8 ? split->middle - 8 * row : 8;
        struct item *item = &maker->items[maker->n_items++];
        *item = *node;
        item->row = (uint16_t)(first_row + row);
        item->keep = (uint8_t) ~((1u << to) - (1u << from));
    }
    return true;
}

static bool add_tree_items(struct maker *maker, uint32_t t, uint32_t first_row) {
    const struct ensemble *e = maker->ensemble;
    size_t first = e->tree_node[t];
    splits_find(e, t, maker->splits);
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, t); i++) {
        const struct item node = {.feature = e->feature[first + i],
                                  .threshold = e->threshold[first + i],
                                  .nan_left = e->nan_left[first + i]};
        if (!add_items(maker, &node, first_row, &maker->splits[i]))
            return false;
    }
    return true;
}

/* --- lists, tests and ops ----------------------------------------------------------------------*/

static bool add_list(struct maker *maker, const struct item *item) {
    struct rapid_model *model = maker->model;
    if (!memory_grow((void **)&model->lists, &maker->lists_capacity, maker->n_lists,
                     sizeof *model->lists))
        return false;
    /* `column` is the feature until number_columns replaces it. */
    model->lists[maker->n_lists++] =
        (struct rapid_list){item->feature, item->nan_left, maker->n_tests};
    return true;
}

static bool add_test(struct maker *maker, float threshold) {
    struct rapid_model *model = maker->model;
    if (!memory_grow((void **)&model->thresholds, &maker->thresholds_capacity, maker->n_tests,
                     sizeof *model->thresholds) ||
        !memory_grow((void **)&model->first_op, &maker->first_op_capacity, maker->n_tests,
                     sizeof *model->first_op))
        return false;
    model->thresholds[maker->n_tests] = threshold;
    model->first_op[maker->n_tests++] = (uint32_t)maker->n_ops;
    return true;
}

/* Adds an op to the last test. If the previous op of that test is for the same row, merges the two
 * ops instead. */
static bool add_op(struct maker *maker, const struct item *item, bool same_row) {
    struct rapid_model *model = maker->model;
    if (same_row) {
        model->ops[maker->n_ops - 1].keep &= item->keep;
        return true;
    }
    if (!memory_grow((void **)&model->ops, &maker->ops_capacity, maker->n_ops, sizeof *model->ops))
        return false;
    size_t in_list = maker->n_tests - 1 - model->lists[maker->n_lists - 1].first_test;
    model->ops[maker->n_ops++] =
        (struct rapid_op){item->keep, (uint8_t)(in_list % RAPID_STEP), item->row};
    return true;
}

static bool add_item(struct maker *maker, const struct item *item, const struct item *last) {
    bool same_list = last && last->feature == item->feature && last->nan_left == item->nan_left;
    bool same_test = same_list && compare_tests(last, item) == 0;
    return (same_list || add_list(maker, item)) &&
           (same_test || add_test(maker, item->threshold)) &&
           add_op(maker, item, same_test && last->row == item->row);
}

/* --- blocks ------------------------------------------------------------------------------------*/

/* Adds a block that begins with tree `first_tree`. Also used for the extra element after the last
 * block. */
static bool add_block(struct maker *maker, uint32_t first_tree) {
    struct rapid_model *model = maker->model;
    if (!memory_grow((void **)&model->blocks, &maker->blocks_capacity, maker->n_blocks,
                     sizeof *model->blocks))
        return false;
    model->blocks[maker->n_blocks++] = (struct rapid_block){maker->n_lists, first_tree, 0};
    return true;
}

/* Builds the block that begins at *tree, and moves *tree to the first tree after the block. */
static bool fill_block(struct maker *maker, struct blocking blocking, uint32_t *tree) {
    const struct rapid_tree *trees = maker->model->trees;
    uint32_t rows = 0, end = *tree;
    maker->n_items = 0;
    do {
        if (!add_tree_items(maker, end, rows))
            return false;
        rows += trees[end++].rows;
    } while (end < maker->ensemble->n_trees && end - *tree < blocking.trees &&
             rows + trees[end].rows <= blocking.rows);
    if (maker->n_items)
        qsort(maker->items, maker->n_items, sizeof *maker->items, compare_items);
    if (!add_block(maker, *tree))
        return false;
    for (size_t i = 0; i < maker->n_items; i++)
        if (!add_item(maker, &maker->items[i], i ? &maker->items[i - 1] : NULL))
            return false;
    maker->model->blocks[maker->n_blocks - 1].rows = rows;
    if (rows > maker->model->max_rows)
        maker->model->max_rows = rows;
    *tree = end;
    return true;
}

/* Adds the extra elements that end the arrays of blocks, lists and tests. */
static bool end_arrays(struct maker *maker) {
    const struct item none = {.feature = 0};
    return add_block(maker, maker->ensemble->n_trees) && add_list(maker, &none) &&
           add_test(maker, 0);
}

/* Finds the tested features and numbers their columns. */
static bool number_columns(struct maker *maker) {
    struct rapid_model *model = maker->model;
    uint32_t n_features = maker->ensemble->n_features;
    uint32_t *column = calloc(n_features, sizeof *column);
    if (!column)
        return false;
    for (size_t l = 0; l + 1 < maker->n_lists; l++)
        column[model->lists[l].column] = 1;
    for (uint32_t f = 0; f < n_features; f++)
        if (column[f]) {
            model->features[model->n_columns] = f;
            column[f] = model->n_columns++;
        }
    for (size_t l = 0; l + 1 < maker->n_lists; l++)
        model->lists[l].column = column[model->lists[l].column];
    free(column);
    return true;
}

/* --- the whole ---------------------------------------------------------------------------------*/

static enum status check_trees(const struct impl *impl, const struct ensemble *ensemble,
                               struct error *error) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        if (ensemble_tree_leaves(ensemble, t) > 8 * RAPID_MAX_ROWS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: tree %u has %u leaves; the limit is %d. Use auto", impl->name, t,
                             ensemble_tree_leaves(ensemble, t), 8 * RAPID_MAX_ROWS);
    return STATUS_OK;
}

static void describe_trees(struct rapid_model *model, const struct ensemble *ensemble) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        model->trees[t] = (struct rapid_tree){.rows = (ensemble_tree_leaves(ensemble, t) + 7) / 8,
                                              .output = ensemble->tree_output[t],
                                              .first_value = ensemble->tree_leaf[t]};
    memcpy(model->values, ensemble->value, ensemble->n_leaves * sizeof *model->values);
}

static bool make(struct maker *maker, struct blocking blocking) {
    const struct ensemble *e = maker->ensemble;
    struct rapid_model *model = maker->model;
    uint32_t largest = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (ensemble_tree_nodes(e, t) > largest)
            largest = ensemble_tree_nodes(e, t);
    maker->splits = malloc(largest * sizeof *maker->splits + 1);
    model->trees = malloc(e->n_trees * sizeof *model->trees);
    model->values = malloc(e->n_leaves * sizeof *model->values);
    model->features = malloc(e->n_features * sizeof *model->features);
    if (!maker->splits || !model->trees || !model->values || !model->features)
        return false;
    describe_trees(model, e);
    for (uint32_t tree = 0; tree < e->n_trees;)
        if (!fill_block(maker, blocking, &tree))
            return false;
    return end_arrays(maker) && number_columns(maker);
}

static void describe_scorer(const struct maker *maker, const struct impl *impl, unsigned lanes) {
    struct rapid_model *model = maker->model;
    const struct ensemble *e = maker->ensemble;
    model->scorer = (struct scorer){
        .impl = impl,
        .n_units = maker->n_blocks - 1,
        .lanes = lanes,
        .n_features = e->n_features,
        .n_outputs = e->n_outputs,
        .bytes = maker->n_blocks * sizeof *model->blocks + maker->n_lists * sizeof *model->lists +
                 maker->n_tests * (sizeof *model->thresholds + sizeof *model->first_op) +
                 maker->n_ops * sizeof *model->ops + e->n_trees * sizeof *model->trees +
                 e->n_leaves * sizeof *model->values + model->n_columns * sizeof *model->features,
        .workspace = lanes * (model->n_columns * sizeof(float) + RAPID_STEP + model->max_rows)};
}

enum status rapid_build(const struct impl *impl, unsigned lanes, const struct ensemble *ensemble,
                        const struct options *options, struct scorer **scorer,
                        struct error *error) {
    struct blocking blocking;
    enum status status = read_blocking(impl, lanes, options, &blocking, error);
    if (!status)
        status = check_trees(impl, ensemble, error);
    if (status)
        return status;
    struct maker maker = {.ensemble = ensemble, .model = calloc(1, sizeof *maker.model)};
    if (!maker.model)
        return error_memory(error, impl->name);
    bool made = make(&maker, blocking);
    free(maker.splits);
    free(maker.items);
    if (!made) {
        rapid_destroy(&maker.model->scorer);
        return error_memory(error, impl->name);
    }
    describe_scorer(&maker, impl, lanes);
    *scorer = &maker.model->scorer;
    return STATUS_OK;
}

void rapid_destroy(struct scorer *scorer) {
    struct rapid_model *model = (struct rapid_model *)scorer;
    free(model->blocks);
    free(model->lists);
    free(model->trees);
    free(model->thresholds);
    free(model->first_op);
    free(model->ops);
    free(model->values);
    free(model->features);
    free(model);
}
