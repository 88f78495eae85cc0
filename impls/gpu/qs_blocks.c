#include "impls/gpu/qs_blocks.h"

#include "impls/quickscorer/qs_entries.h"
#include "impls/shared/float_key.h"

#include <string.h>

unsigned qs_blocks_leaves(const struct ensemble *ensemble, const char *impl, struct error *error) {
    if (splits_check(ensemble, QS_BLOCKS_LEAVES, impl, "planes-gpu or walk-gpu", error))
        return 0;
    uint32_t most = ensemble_most_leaves(ensemble, 0, ensemble->n_trees);
    return most <= QS_BLOCKS_WORD ? QS_BLOCKS_WORD : QS_BLOCKS_LEAVES;
}

/* --- what is known of the whole ensemble ------------------------------------------------------ */

struct building {
    struct memory_pool pool;
    struct qs_entries entries; /* of the block that is being built; words are its trees */
    size_t *output_begin;      /* [n_outputs + 1] first place in `order` of each output */
    uint32_t *order;           /* [n_trees] trees by output */
    size_t tau;
};

static bool sort_trees(struct building *b, const struct ensemble *e) {
    b->output_begin =
        memory_pool_array(&b->pool, (size_t)e->n_outputs + 2, sizeof *b->output_begin);
    b->order = memory_pool_array(&b->pool, e->n_trees, sizeof *b->order);
    if (!b->pool.failed)
        ensemble_sort_trees(e, b->output_begin, b->order);
    return !b->pool.failed;
}

size_t qs_blocks_most_trees(const struct ensemble *ensemble) {
    struct building b = {.tau = 1};
    bool sorted = sort_trees(&b, ensemble);
    size_t most = sorted ? 0 : ensemble->n_trees;
    for (uint32_t i = 0; sorted && i < ensemble->n_outputs; i++) {
        size_t trees = b.output_begin[i + 1] - b.output_begin[i];
        most = trees > most ? trees : most;
    }
    memory_pool_free(&b.pool);
    return most;
}

/* --- a block ---------------------------------------------------------------------------------- */

static void allocate(struct memory_pool *pool, struct qs_tree_block *block, uint32_t words) {
    size_t n_lists = block->n_lists, n_entries = block->n_entries;
    size_t n_values = (size_t)block->n_trees * words * QS_BLOCKS_WORD;
    block->list_feature = memory_pool_array(pool, n_lists, sizeof *block->list_feature);
    block->list_nan_left = memory_pool_array(pool, n_lists, sizeof *block->list_nan_left);
    block->list_begin = memory_pool_array(pool, n_lists + 1, sizeof *block->list_begin);
    block->threshold = memory_pool_array(pool, n_entries, sizeof *block->threshold);
    block->mask = memory_pool_array(pool, n_entries * words, sizeof *block->mask);
    block->tree = memory_pool_array(pool, n_entries, sizeof *block->tree);
    block->values = memory_pool_array(pool, n_values, sizeof *block->values);
}

static void fill_entries(const struct qs_entry *entries, uint32_t words,
                         struct qs_tree_block *block) {
    uint32_t list = 0;
    for (uint32_t i = 0; i < block->n_entries; i++) {
        const struct qs_entry *entry = &entries[i];
        if (qs_entry_begins_list(entry, entries)) {
            block->list_feature[list] = entry->feature;
            block->list_nan_left[list] = entry->nan_left;
            block->list_begin[list++] = i;
        }
        block->threshold[i] = float_key(entry->threshold);
        block->tree[i] = (uint16_t)entry->word;
        for (uint32_t word = 0; word < words; word++)
            block->mask[(size_t)i * words + word] =
                (uint32_t)(entry->stay >> word * QS_BLOCKS_WORD);
    }
    block->list_begin[list] = block->n_entries;
}

static bool build_block(struct qs_entries *entries, const uint32_t *trees,
                        struct qs_tree_blocks *blocks, struct qs_tree_block *block) {
    const struct ensemble *e = entries->ensemble;
    entries->count = 0;
    for (uint32_t i = 0; i < block->n_trees; i++)
        if (!qs_entries_add_tree(entries, trees[i], i))
            return false;
    qs_entries_sort(entries, 0);
    block->n_entries = (uint32_t)entries->count;
    for (uint32_t i = 0; i < block->n_entries; i++)
        block->n_lists += qs_entry_begins_list(&entries->list[i], entries->list);
    allocate(&blocks->pool, block, blocks->words);
    if (blocks->pool.failed)
        return false;
    fill_entries(entries->list, blocks->words, block);
    for (uint32_t i = 0; i < block->n_trees; i++)
        memcpy(block->values + (size_t)i * blocks->words * QS_BLOCKS_WORD,
               e->value + e->tree_leaf[trees[i]],
               ensemble_tree_leaves(e, trees[i]) * sizeof *block->values);
    return true;
}

/* --- all blocks ------------------------------------------------------------------------------- */

static bool build_blocks(struct building *b, struct qs_tree_blocks *blocks) {
    size_t most = 0;
    uint32_t n_outputs = b->entries.ensemble->n_outputs;
    for (uint32_t output = 0; output < n_outputs; output++)
        most += (b->output_begin[output + 1] - b->output_begin[output] + b->tau - 1) / b->tau;
    blocks->blocks = memory_pool_array(&blocks->pool, most, sizeof *blocks->blocks);
    if (!blocks->blocks)
        return false;
    for (uint32_t output = 0; output < n_outputs; output++)
        for (size_t at = b->output_begin[output], end = b->output_begin[output + 1]; at < end;
             at += b->tau) {
            struct qs_tree_block *block = &blocks->blocks[blocks->n_blocks++];
            block->n_trees = (uint32_t)(end - at < b->tau ? end - at : b->tau);
            block->output = output;
            if (!build_block(&b->entries, b->order + at, blocks, block))
                return false;
        }
    return true;
}

enum status qs_blocks_build(const struct ensemble *ensemble, size_t tau, unsigned leaves,
                            struct qs_tree_blocks *blocks, struct error *error) {
    struct building b = {.tau = tau};
    *blocks = (struct qs_tree_blocks){.words = leaves / QS_BLOCKS_WORD};
    bool done = qs_entries_begin(&b.entries, ensemble, QS_BLOCKS_LEAVES) &&
                sort_trees(&b, ensemble) && build_blocks(&b, blocks);
    qs_entries_free(&b.entries);
    memory_pool_free(&b.pool);
    return done ? STATUS_OK : error_memory(error, "blocks of trees");
}
