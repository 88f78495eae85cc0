#include "impls/quickscorer/qs_model.h"

#include "base/cpu.h"
#include "impls/quickscorer/qs_entries.h"
#include "impls/shared/tau.h"

#include <math.h>

enum { WORD_BITS = 64 };

const struct impl_param qs_params[] = {QS_TAU_PARAM("all"), {NULL, NULL, NULL, NULL}};

/* --- blocks ----------------------------------------------------------------------------------- */

static enum qs_width width_for(uint32_t leaves) {
    return leaves <= 32 ? QS_32 : leaves <= WORD_BITS ? QS_64 : QS_MANY_WORDS;
}

/* The number of words of a leaf set. */
static uint32_t words_for(uint32_t leaves) {
    return (leaves + WORD_BITS - 1) / WORD_BITS;
}

static void store_entry(struct qs_block *block, size_t i, const struct qs_entry *entry,
                        unsigned lanes) {
    block->threshold[i] = entry->threshold;
    block->word[i] = entry->word * lanes;
    if (block->width == QS_32)
        ((uint32_t *)block->mask)[i] = (uint32_t)entry->stay;
    else
        ((uint64_t *)block->mask)[i] = entry->stay;
}

static void store_lists(struct qs_block *block, const struct qs_entries *entries, unsigned lanes) {
    static const struct qs_entry last = {.threshold = INFINITY, .stay = UINT64_MAX};
    struct qs_list *list = block->lists;
    size_t n = 0;
    for (size_t i = 0; i < entries->count; list++) {
        const struct qs_entry *entry = &entries->list[i];
        *list =
            (struct qs_list){.feature = entry->feature, .nan_left = entry->nan_left, .begin = n};
        do
            store_entry(block, n++, &entries->list[i++], lanes);
        while (i < entries->count && !qs_entry_begins_list(&entries->list[i], entries->list));
        list->end = n;
        store_entry(block, n++, &last, lanes);
    }
}

static void store_trees(struct qs_block *block, const struct ensemble *e, struct span trees) {
    uint32_t word = 0;
    for (size_t i = 0; i < block->n_trees; i++) {
        size_t t = trees.begin + i;
        block->output[i] = e->tree_output[t];
        block->first_word[i] = word;
        block->first_value[i] = (uint32_t)(e->tree_leaf[t] - e->tree_leaf[trees.begin]);
        word += words_for(ensemble_tree_leaves(e, (uint32_t)t));
    }
}

static void allocate(struct memory_pool *pool, struct qs_block *block, const double *values,
                     size_t n_values) {
    block->lists = memory_pool_array(pool, block->n_lists, sizeof *block->lists);
    block->threshold = memory_pool_array(pool, block->n_entries, sizeof *block->threshold);
    block->mask = memory_pool_array(pool, block->n_entries, qs_word_size(block->width));
    block->word = memory_pool_array(pool, block->n_entries, sizeof *block->word);
    block->output = memory_pool_array(pool, block->n_trees, sizeof *block->output);
    block->first_word = memory_pool_array(pool, block->n_trees, sizeof *block->first_word);
    block->first_value = memory_pool_array(pool, block->n_trees, sizeof *block->first_value);
    block->value = memory_pool_copy(pool, values, n_values, sizeof *block->value);
}

static bool build_block(struct memory_pool *pool, struct qs_block *block, struct span trees,
                        struct qs_entries *entries, unsigned lanes) {
    const struct ensemble *e = entries->ensemble;
    block->width = width_for(ensemble_most_leaves(e, trees.begin, trees.end));
    block->n_trees = trees.end - trees.begin;
    entries->count = 0;
    for (size_t t = trees.begin; t < trees.end; t++) {
        if (!qs_entries_add_tree(entries, (uint32_t)t, (uint32_t)block->n_words))
            return false;
        block->n_words += words_for(ensemble_tree_leaves(e, (uint32_t)t));
    }
    qs_entries_sort(entries, 0);
    for (size_t i = 0; i < entries->count; i++)
        block->n_lists += qs_entry_begins_list(&entries->list[i], entries->list);
    block->n_entries = entries->count + block->n_lists;
    allocate(pool, block, e->value + e->tree_leaf[trees.begin],
             e->tree_leaf[trees.end] - e->tree_leaf[trees.begin]);
    if (pool->failed)
        return false;
    store_lists(block, entries, lanes);
    store_trees(block, e, trees);
    return true;
}

/* --- tau -------------------------------------------------------------------------------------- */

/* Returns the tau of tau=auto, in trees. Leaf sets are read and written in random order, so they
 * should fit in L1. Lists are read from front to back, and the prefetcher loads them in time. It is
 * therefore enough that lists and leaf values fit in a quarter of L3. */
static size_t suitable_tau(const struct ensemble *e, unsigned lanes) {
    enum { USUAL_L1 = 32 << 10, USUAL_L3 = 8 << 20 };
    if (e->n_trees == 0)
        return 1;
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    size_t l1 = cpu.l1d_bytes ? cpu.l1d_bytes : USUAL_L1;
    size_t l3 = (cpu.l3_bytes ? cpu.l3_bytes : USUAL_L3) / 4;
    size_t word = qs_word_size(width_for(ensemble_most_leaves(e, 0, e->n_trees)));
    size_t entry = sizeof(float) + sizeof(uint32_t) + word;
    size_t set = (1 + e->n_leaves / e->n_trees / WORD_BITS) * word * lanes;
    size_t tree = (e->n_nodes * entry + e->n_leaves * sizeof(double)) / e->n_trees;
    size_t tau = l1 / set < l3 / tree ? l1 / set : l3 / tree;
    return tau ? tau : 1;
}

static enum status read_tau(const struct impl *impl, const struct qs_kind *kind,
                            const struct ensemble *e, const struct options *options, size_t *tau,
                            struct error *error) {
    size_t all = e->n_trees ? e->n_trees : 1;
    uint32_t typed = 0;
    enum status status = tau_read(impl, options, kind->blocks ? TAU_AUTO : TAU_ALL, &typed, error);
    *tau = typed == TAU_AUTO ? suitable_tau(e, kind->lanes) : typed;
    *tau = *tau < all ? *tau : all;
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static bool build_blocks(struct qs_model *model, struct qs_entries *entries, size_t tau,
                         unsigned lanes) {
    struct scorer *scorer = &model->scorer;
    const struct ensemble *e = entries->ensemble;
    for (size_t begin = 0; begin < e->n_trees; begin += tau) {
        size_t end = e->n_trees - begin < tau ? e->n_trees : begin + tau;
        struct qs_block *block = &model->blocks[scorer->n_units++];
        if (!build_block(&scorer->pool, block, (struct span){begin, end}, entries, lanes))
            return false;
        size_t sets = block->n_words * qs_word_size(block->width) * lanes;
        scorer->workspace = sets > scorer->workspace ? sets : scorer->workspace;
    }
    scorer->bytes += scorer->pool.bytes;
    return true;
}

enum status qs_build(const struct impl *impl, const struct qs_kind *kind,
                     const struct ensemble *ensemble, const struct options *options,
                     struct scorer **scorer, struct error *error) {
    size_t tau = 1;
    enum status status = read_tau(impl, kind, ensemble, options, &tau, error);
    if (!status && !kind->any_leaves)
        status = splits_check(ensemble, WORD_BITS, impl->name, "rapidscorer, qs or auto", error);
    if (status)
        return status;
    size_t blocks = (ensemble->n_trees + tau - 1) / tau * sizeof(struct qs_block);
    struct qs_model *model =
        scorer_create(sizeof *model + blocks, impl, ensemble, 0, kind->step, error);
    if (!model)
        return STATUS_MEMORY;
    model->scorer.bytes = blocks;
    struct qs_entries entries;
    if (!qs_entries_begin(&entries, ensemble, WORD_BITS) ||
        !build_blocks(model, &entries, tau, kind->lanes))
        status = error_memory(error, impl->name);
    qs_entries_free(&entries);
    return scorer_finish(&model->scorer, status, scorer, error);
}
