#include "impls/gpu/qs_blocks.h"

#include "impls/quickscorer/qs_entries.h"
#include "impls/shared/float_key.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

unsigned qs_blocks_leaves(const struct ensemble *ensemble, const char *impl, struct error *error) {
    uint32_t most = 0;
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        uint32_t leaves = ensemble_tree_leaves(ensemble, t);
        if (leaves > QS_BLOCKS_LEAVES) {
            error_set(error, STATUS_UNSUPPORTED,
                      "%s: tree %" PRIu32 " has %" PRIu32
                      " leaves; the limit is %d. Use planes-gpu or walk-gpu",
                      impl, t, leaves, (int)QS_BLOCKS_LEAVES);
            return 0;
        }
        most = leaves > most ? leaves : most;
    }
    return most <= QS_BLOCKS_WORD ? QS_BLOCKS_WORD : QS_BLOCKS_LEAVES;
}

/* --- what is known of the whole ensemble ------------------------------------------------------ */

struct building {
    struct qs_entries entries; /* of the block that is being built; words are its trees */
    size_t *output_begin;      /* [n_outputs + 1] first place in `order` of each output */
    uint32_t *order;           /* [n_trees] trees by output */
    size_t tau;
};

/* Counts the trees of each output: output_begin[output + 1]. */
static size_t *count_trees(const struct ensemble *e) {
    size_t *counts = calloc((size_t)e->n_outputs + 1, sizeof *counts);
    for (uint32_t t = 0; counts && t < e->n_trees; t++)
        counts[e->tree_output[t] + 1]++;
    return counts;
}

size_t qs_blocks_most_trees(const struct ensemble *ensemble) {
    size_t *counts = count_trees(ensemble), most = 0;
    for (uint32_t i = 1; counts && i <= ensemble->n_outputs; i++)
        most = counts[i] > most ? counts[i] : most;
    free(counts);
    return counts ? most : ensemble->n_trees;
}

/* Sorts the trees by output. Within an output they keep their order. */
static bool sort_trees(struct building *b) {
    const struct ensemble *e = b->entries.ensemble;
    b->output_begin = count_trees(e);
    b->order = memory_aligned_alloc(e->n_trees * sizeof *b->order);
    size_t *next = malloc(((size_t)e->n_outputs + 1) * sizeof *next);
    bool done = b->output_begin && b->order && next;
    for (uint32_t i = 0; done && i < e->n_outputs; i++) {
        b->output_begin[i + 1] += b->output_begin[i];
        next[i] = b->output_begin[i];
    }
    for (uint32_t t = 0; done && t < e->n_trees; t++)
        b->order[next[e->tree_output[t]]++] = t;
    free(next);
    return done;
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
    bool done = qs_entries_begin(&b.entries, ensemble, QS_BLOCKS_LEAVES) && sort_trees(&b) &&
                build_blocks(&b, blocks);
    qs_entries_free(&b.entries);
    free(b.output_begin);
    free(b.order);
    return done ? STATUS_OK : error_memory(error, "blocks of trees");
}
