/* Builds the arrays of RapidScorer. */
#include "impls/quickscorer/rapidscorer_model.h"

#include "base/cpu.h"
#include "impls/quickscorer/qs_entries.h"
#include "impls/shared/tau.h"

#include <stdbool.h>

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

/* The lengths of the model's arrays, without their extra elements. */
struct counts {
    size_t blocks, lists, tests, ops;
};

/* The model that is being built, and temporary memory. */
struct maker {
    const struct ensemble *ensemble;
    struct rapid_model *model;
    struct memory_pool pool;
    struct qs_entries entries; /* of all blocks, sorted within each */
    size_t *first_entry;       /* [blocks + 1] of each block */
    uint32_t *column;          /* [n_features] the column of each tested feature */
    struct counts n;
};

/* What an entry begins: an op, or a test with its first op, or a list with its first test. Equal
 * tests of a block are merged, and so are a test's entries for the same row. */
enum begins { NOTHING, OP, TEST, LIST };

static enum begins begins_of(const struct qs_entry *entry, const struct qs_entry *first) {
    if (qs_entry_begins_list(entry, first))
        return LIST;
    if (entry->threshold != entry[-1].threshold)
        return TEST;
    return entry->word != entry[-1].word ? OP : NOTHING;
}

static void count_entry(struct maker *maker, const struct qs_entry *entry,
                        const struct qs_entry *first) {
    enum begins begins = begins_of(entry, first);
    maker->n.lists += begins >= LIST;
    maker->n.tests += begins >= TEST;
    maker->n.ops += begins >= OP;
    maker->model->n_columns += !maker->column[entry->feature];
    maker->column[entry->feature] = 1;
}

/* --- blocks ------------------------------------------------------------------------------------*/

static uint32_t rows_of(const struct ensemble *e, uint32_t tree) {
    return (ensemble_tree_leaves(e, tree) + 7) / 8;
}

/* Returns the first tree after the block that begins with tree `begin`. */
static uint32_t end_of_block(const struct ensemble *e, struct blocking blocking, uint32_t begin,
                             uint32_t *rows) {
    uint32_t end = begin + 1;
    *rows = rows_of(e, begin);
    while (end < e->n_trees && end - begin < blocking.trees &&
           *rows + rows_of(e, end) <= blocking.rows)
        *rows += rows_of(e, end++);
    return end;
}

/* Collects and counts the entries of the block that begins at *tree, and moves *tree to the first
 * tree after the block. */
static bool collect_block(struct maker *maker, struct blocking blocking, struct rapid_block *block,
                          uint32_t *tree) {
    size_t first = maker->entries.count;
    uint32_t end = end_of_block(maker->ensemble, blocking, *tree, &block->rows), row = 0;
    block->first_tree = *tree;
    for (; *tree < end; ++*tree) {
        if (!qs_entries_add_tree(&maker->entries, *tree, row))
            return false;
        row += rows_of(maker->ensemble, *tree);
    }
    qs_entries_sort(&maker->entries, first);
    for (size_t i = first; i < maker->entries.count; i++)
        count_entry(maker, &maker->entries.list[i], &maker->entries.list[first]);
    if (block->rows > maker->model->max_rows)
        maker->model->max_rows = block->rows;
    return true;
}

static bool collect_blocks(struct maker *maker, struct blocking blocking) {
    const struct ensemble *e = maker->ensemble;
    struct rapid_model *model = maker->model;
    uint32_t rows;
    for (uint32_t t = 0; t < e->n_trees; maker->n.blocks++)
        t = end_of_block(e, blocking, t, &rows);
    size_t n = maker->n.blocks + 1;
    model->blocks = memory_pool_array(&model->scorer.pool, n, sizeof *model->blocks);
    maker->first_entry = memory_pool_array(&maker->pool, n, sizeof *maker->first_entry);
    maker->column = memory_pool_array(&maker->pool, e->n_features, sizeof *maker->column);
    bool done = qs_entries_begin(&maker->entries, e, 8) && model->blocks && !maker->pool.failed;
    uint32_t tree = 0;
    for (size_t b = 0; done && b < maker->n.blocks; b++) {
        done = collect_block(maker, blocking, &model->blocks[b], &tree);
        maker->first_entry[b + 1] = maker->entries.count;
    }
    return done;
}

/* --- lists, tests and ops ----------------------------------------------------------------------*/

/* Adds an entry to the arrays, which have the elements of `n` so far. */
static void add_entry(const struct maker *maker, const struct qs_entry *entry,
                      const struct qs_entry *first, struct counts *n) {
    struct rapid_model *model = maker->model;
    enum begins begins = begins_of(entry, first);
    if (begins >= LIST)
        model->lists[n->lists++] =
            (struct rapid_list){maker->column[entry->feature], entry->nan_left, n->tests};
    if (begins >= TEST) {
        model->thresholds[n->tests] = entry->threshold;
        model->first_op[n->tests++] = (uint32_t)n->ops;
    }
    size_t in_list = n->tests - 1 - model->lists[n->lists - 1].first_test;
    if (begins >= OP)
        model->ops[n->ops++] = (struct rapid_op){
            (uint8_t)entry->stay, (uint8_t)(in_list % RAPID_STEP), (uint16_t)entry->word};
    else
        model->ops[n->ops - 1].keep &= (uint8_t)entry->stay;
}

static void number_columns(const struct maker *maker) {
    uint32_t n = 0;
    for (uint32_t f = 0; f < maker->ensemble->n_features; f++)
        if (maker->column[f]) {
            maker->model->features[n] = f;
            maker->column[f] = n++;
        }
}

/* The arrays of blocks, lists and tests end with an extra element. */
static void fill_arrays(const struct maker *maker) {
    struct rapid_model *model = maker->model;
    const struct qs_entry *entries = maker->entries.list;
    struct counts n = {0};
    for (; n.blocks < maker->n.blocks; n.blocks++) {
        size_t first = maker->first_entry[n.blocks], end = maker->first_entry[n.blocks + 1];
        model->blocks[n.blocks].first_list = n.lists;
        for (size_t i = first; i < end; i++)
            add_entry(maker, &entries[i], &entries[first], &n);
    }
    model->blocks[n.blocks].first_list = n.lists;
    model->blocks[n.blocks].first_tree = maker->ensemble->n_trees;
    model->lists[n.lists].first_test = n.tests;
    model->first_op[n.tests] = (uint32_t)n.ops;
}

/* --- the whole ---------------------------------------------------------------------------------*/

static void describe_trees(struct rapid_model *model, const struct ensemble *ensemble) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        model->trees[t] = (struct rapid_tree){.rows = rows_of(ensemble, t),
                                              .output = ensemble->tree_output[t],
                                              .first_value = ensemble->tree_leaf[t]};
}

static void allocate(struct rapid_model *model, const struct ensemble *e, const struct counts *n) {
    struct memory_pool *pool = &model->scorer.pool;
    model->lists = memory_pool_array(pool, n->lists + 1, sizeof *model->lists);
    model->trees = memory_pool_array(pool, e->n_trees, sizeof *model->trees);
    model->thresholds = memory_pool_array(pool, n->tests + 1, sizeof *model->thresholds);
    model->first_op = memory_pool_array(pool, n->tests + 1, sizeof *model->first_op);
    model->ops = memory_pool_array(pool, n->ops, sizeof *model->ops);
    model->values = memory_pool_copy(pool, e->value, e->n_leaves, sizeof *model->values);
    model->features = memory_pool_array(pool, model->n_columns, sizeof *model->features);
}

static bool make(struct maker *maker, struct blocking blocking) {
    const struct ensemble *e = maker->ensemble;
    if (!collect_blocks(maker, blocking))
        return false;
    allocate(maker->model, e, &maker->n);
    if (maker->model->scorer.pool.failed)
        return false;
    number_columns(maker);
    fill_arrays(maker);
    describe_trees(maker->model, e);
    return true;
}

enum status rapid_build(const struct impl *impl, unsigned lanes, const struct ensemble *ensemble,
                        const struct options *options, struct scorer **scorer,
                        struct error *error) {
    struct blocking blocking;
    enum status status = read_blocking(impl, lanes, options, &blocking, error);
    if (!status)
        status = splits_check(ensemble, 8 * RAPID_MAX_ROWS, impl->name, "auto", error);
    if (status)
        return status;
    struct rapid_model *model = scorer_create(sizeof *model, impl, ensemble, 0, lanes, error);
    if (!model)
        return STATUS_MEMORY;
    struct maker maker = {.ensemble = ensemble, .model = model};
    if (!make(&maker, blocking))
        status = error_memory(error, impl->name);
    qs_entries_free(&maker.entries);
    memory_pool_free(&maker.pool);
    model->scorer.n_units = maker.n.blocks;
    model->scorer.workspace =
        lanes * (model->n_columns * sizeof(float) + RAPID_STEP + model->max_rows);
    return scorer_finish(&model->scorer, status, scorer, error);
}
