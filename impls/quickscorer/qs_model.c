#include "impls/quickscorer/qs_model.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "impls/shared/splits.h"
#include "impls/shared/tau.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_BITS = 64,
    TREE_BYTES = 3 * sizeof(uint32_t) /* a tree's output, first_word and first_value */
};

const struct impl_param qs_params[] = {QS_TAU_PARAM("all"), {NULL, NULL, NULL, NULL}};

/* --- entries, before they are sorted into lists ----------------------------------------------- */

struct entry {
    uint32_t feature, word;
    float threshold;
    bool nan_left;
    uint64_t stay; /* the bits of the word that a false node keeps */
};

struct entries {
    struct entry *list;
    size_t count, capacity;
};

/* The bits in one word of a leaf set that stand for leaves of the split's left subtree. */
static uint64_t bits_in_word(const struct split *split, uint32_t word) {
    uint32_t begin = word * WORD_BITS, end = begin + WORD_BITS;
    uint32_t first = split->first > begin ? split->first - begin : 0;
    uint32_t unused = split->middle < end ? end - split->middle : 0;
    return UINT64_MAX >> unused & UINT64_MAX << first;
}

/* Appends the entries of a tree whose leaf set begins at `first_word`. */
static bool add_tree(struct entries *entries, const struct ensemble *e, uint32_t tree,
                     uint32_t first_word, struct split *splits) {
    splits_find(e, tree, splits);
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, tree); i++) {
        const struct split *split = &splits[i];
        size_t node = e->tree_node[tree] + i;
        for (uint32_t word = split->first / WORD_BITS; word * WORD_BITS < split->middle; word++) {
            if (!memory_grow((void **)&entries->list, &entries->capacity, entries->count,
                             sizeof *entries->list))
                return false;
            entries->list[entries->count++] = (struct entry){
                .feature = e->feature[node],
                .word = first_word + word,
                .threshold = e->threshold[node],
                .nan_left = e->nan_left[node],
                .stay = ~bits_in_word(split, word),
            };
        }
    }
    return true;
}

static int compare_entries(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    if (a->nan_left != b->nan_left)
        return a->nan_left ? 1 : -1;
    if (a->threshold != b->threshold)
        return a->threshold < b->threshold ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
}

static bool same_list(const struct entry *a, const struct entry *b) {
    return a->feature == b->feature && a->nan_left == b->nan_left;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static enum qs_width width_for(uint32_t leaves) {
    return leaves <= 32 ? QS_32 : leaves <= WORD_BITS ? QS_64 : QS_MANY_WORDS;
}

/* The number of words of a leaf set. */
static uint32_t words_for(uint32_t leaves) {
    return (leaves + WORD_BITS - 1) / WORD_BITS;
}

static uint32_t most_leaves(const struct ensemble *e, struct span trees) {
    uint32_t most = 0;
    for (size_t t = trees.begin; t < trees.end; t++) {
        uint32_t leaves = ensemble_tree_leaves(e, (uint32_t)t);
        most = leaves > most ? leaves : most;
    }
    return most;
}

static void block_free(struct qs_block *block) {
    free(block->lists);
    free(block->threshold);
    free(block->mask);
    free(block->word);
    free(block->output);
    free(block->first_word);
    free(block->first_value);
    free(block->value);
}

static size_t block_bytes(const struct qs_block *block, size_t n_values) {
    return TREE_BYTES * block->n_trees + block->n_lists * sizeof *block->lists +
           n_values * sizeof *block->value +
           block->n_entries *
               (sizeof *block->threshold + sizeof *block->word + qs_word_size(block->width));
}

static void store_lists(struct qs_block *block, const struct entry *entries, unsigned lanes) {
    struct qs_list *list = block->lists - 1;
    uint32_t *narrow = block->mask;
    uint64_t *wide = block->mask;
    for (size_t i = 0; i < block->n_entries; i++) {
        const struct entry *entry = &entries[i];
        if (i == 0 || !same_list(entry, entry - 1))
            *++list = (struct qs_list){entry->feature, entry->nan_left, i, i};
        list->end = i + 1;
        block->threshold[i] = entry->threshold;
        block->word[i] = entry->word * lanes;
        if (block->width == QS_32)
            narrow[i] = (uint32_t)entry->stay;
        else
            wide[i] = entry->stay;
    }
}

static bool build_lists(struct qs_block *block, const struct entries *entries, unsigned lanes) {
    if (entries->count) /* entries->list may be NULL if it is empty, and qsort must not get NULL */
        qsort(entries->list, entries->count, sizeof *entries->list, compare_entries);
    block->n_entries = entries->count;
    for (size_t i = 0; i < entries->count; i++)
        block->n_lists += i == 0 || !same_list(&entries->list[i], &entries->list[i - 1]);
    block->lists = malloc(block->n_lists * sizeof *block->lists + 1); /* malloc(0) may be NULL */
    block->threshold = memory_aligned_alloc(block->n_entries * sizeof *block->threshold);
    block->mask = memory_aligned_alloc(block->n_entries * qs_word_size(block->width));
    block->word = memory_aligned_alloc(block->n_entries * sizeof *block->word);
    if (!block->lists || !block->threshold || !block->mask || !block->word)
        return false;
    store_lists(block, entries->list, lanes);
    return true;
}

static bool build_trees(struct qs_block *block, const struct ensemble *e, struct span trees) {
    size_t first_value = e->tree_leaf[trees.begin];
    size_t n_values = e->tree_leaf[trees.end] - first_value;
    block->output = memory_aligned_alloc(block->n_trees * sizeof *block->output);
    block->first_word = memory_aligned_alloc(block->n_trees * sizeof *block->first_word);
    block->first_value = memory_aligned_alloc(block->n_trees * sizeof *block->first_value);
    block->value = memory_aligned_alloc(n_values * sizeof *block->value);
    if (!block->output || !block->first_word || !block->first_value || !block->value)
        return false;
    uint32_t word = 0;
    for (size_t i = 0; i < block->n_trees; i++) {
        size_t t = trees.begin + i;
        block->output[i] = e->tree_output[t];
        block->first_word[i] = word;
        block->first_value[i] = (uint32_t)(e->tree_leaf[t] - first_value);
        word += words_for(ensemble_tree_leaves(e, (uint32_t)t));
    }
    memcpy(block->value, e->value + first_value, n_values * sizeof *block->value);
    return true;
}

/* The caller must free the block even if this function fails. */
static bool build_block(struct qs_block *block, const struct ensemble *e, struct span trees,
                        unsigned lanes) {
    struct entries entries = {0};
    block->width = width_for(most_leaves(e, trees));
    block->n_trees = trees.end - trees.begin;
    /* Each tree has a leaf, so this is never malloc(0). */
    struct split *splits = malloc(most_leaves(e, trees) * sizeof *splits);
    bool fits = splits != NULL;
    for (size_t t = trees.begin; fits && t < trees.end; t++) {
        fits = add_tree(&entries, e, (uint32_t)t, (uint32_t)block->n_words, splits);
        block->n_words += words_for(ensemble_tree_leaves(e, (uint32_t)t));
    }
    fits = fits && build_lists(block, &entries, lanes) && build_trees(block, e, trees);
    free(splits);
    free(entries.list);
    return fits;
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
    size_t word = qs_word_size(width_for(most_leaves(e, (struct span){0, e->n_trees})));
    size_t entry = sizeof(float) + sizeof(uint32_t) + word;
    size_t set = (1 + e->n_leaves / e->n_trees / WORD_BITS) * word * lanes;
    size_t tree = (e->n_nodes * entry + e->n_leaves * sizeof(double)) / e->n_trees;
    size_t tau = l1 / set < l3 / tree ? l1 / set : l3 / tree;
    return tau ? tau : 1;
}

static enum status read_tau(const struct qs_kind *kind, const struct ensemble *e,
                            const struct options *options, size_t *tau, struct error *error) {
    size_t all = e->n_trees ? e->n_trees : 1;
    uint32_t typed = 0;
    enum status status =
        tau_read(kind->impl, options, kind->blocks ? TAU_AUTO : TAU_ALL, &typed, error);
    *tau = typed == TAU_AUTO ? suitable_tau(e, kind->lanes) : typed;
    *tau = *tau < all ? *tau : all;
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status check_leaves(const struct qs_kind *kind, const struct ensemble *e,
                                struct error *error) {
    for (uint32_t t = 0; !kind->any_leaves && t < e->n_trees; t++)
        if (ensemble_tree_leaves(e, t) > WORD_BITS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: tree %u has %u leaves; the limit is %d. Use rapidscorer, qs "
                             "or auto",
                             kind->impl->name, t, ensemble_tree_leaves(e, t), (int)WORD_BITS);
    return STATUS_OK;
}

void qs_destroy(struct scorer *scorer) {
    struct qs_model *model = (struct qs_model *)scorer;
    for (size_t i = 0; i < scorer->n_units; i++)
        block_free(&model->blocks[i]);
    free(model);
}

/* Builds the blocks one by one. n_units counts the blocks begun, so that qs_destroy frees each of
 * them after a failure. */
static bool build_blocks(struct qs_model *model, const struct ensemble *e, size_t tau,
                         unsigned lanes) {
    struct scorer *scorer = &model->scorer;
    for (size_t begin = 0; begin < e->n_trees; begin += tau) {
        size_t end = e->n_trees - begin < tau ? e->n_trees : begin + tau;
        struct qs_block *block = &model->blocks[scorer->n_units++];
        if (!build_block(block, e, (struct span){begin, end}, lanes))
            return false;
        size_t sets = block->n_words * qs_word_size(block->width) * lanes;
        scorer->workspace = sets > scorer->workspace ? sets : scorer->workspace;
        scorer->bytes += block_bytes(block, e->tree_leaf[end] - e->tree_leaf[begin]);
    }
    return true;
}

enum status qs_build(const struct qs_kind *kind, const struct ensemble *ensemble,
                     const struct options *options, struct scorer **scorer, struct error *error) {
    size_t tau = 1;
    enum status status = read_tau(kind, ensemble, options, &tau, error);
    if (!status)
        status = check_leaves(kind, ensemble, error);
    if (status)
        return status;
    size_t n_blocks = (ensemble->n_trees + tau - 1) / tau;
    struct qs_model *model = calloc(1, sizeof *model + n_blocks * sizeof *model->blocks);
    if (!model)
        return error_memory(error, kind->impl->name);
    model->scorer = (struct scorer){.impl = kind->impl,
                                    .lanes = kind->step,
                                    .n_features = ensemble->n_features,
                                    .n_outputs = ensemble->n_outputs,
                                    .votes = ensemble->votes,
                                    .bytes = n_blocks * sizeof *model->blocks};
    if (!build_blocks(model, ensemble, tau, kind->lanes)) {
        qs_destroy(&model->scorer);
        return error_memory(error, kind->impl->name);
    }
    *scorer = &model->scorer;
    return STATUS_OK;
}
