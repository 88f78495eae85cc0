#include "impls/gpu/qs_blocks.h"

#include "base/memory.h"
#include "impls/shared/sorted_tests.h"
#include "impls/shared/splits.h"

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
    const struct ensemble *ensemble;
    size_t *output_begin;      /* [n_outputs + 1] first place in `order` of each output */
    uint32_t *order;           /* [n_trees] trees by output */
    uint64_t *keep;            /* [n_nodes] the bits that a false node keeps */
    uint16_t *tree;            /* [n_nodes] number of the tree in its block */
    struct sorted_test *tests; /* [n_nodes] of the block that is being built */
    size_t tau;
    uint32_t words;
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
    const struct ensemble *e = b->ensemble;
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

static void find_masks(struct building *b) {
    struct split splits[QS_BLOCKS_LEAVES];
    const struct ensemble *e = b->ensemble;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        splits_find(e, t, splits);
        for (uint32_t i = 0; i < ensemble_tree_nodes(e, t); i++) {
            uint32_t count = splits[i].middle - splits[i].first; /* less than 64 */
            b->keep[e->tree_node[t] + i] = ~((((uint64_t)1 << count) - 1) << splits[i].first);
        }
    }
}

/* --- a block ---------------------------------------------------------------------------------- */

static void block_free(struct qs_tree_block *block) {
    free(block->list_feature);
    free(block->list_nan_left);
    free(block->list_begin);
    free(block->threshold);
    free(block->mask);
    free(block->tree);
    free(block->values);
}

/* Collects the tests of a block's trees, sorted, and numbers the trees. Returns how many there are.
 */
static size_t collect_tests(struct building *b, const uint32_t *trees, size_t n_trees) {
    const struct ensemble *e = b->ensemble;
    size_t count = 0;
    for (size_t i = 0; i < n_trees; i++)
        for (size_t node = e->tree_node[trees[i]]; node < e->tree_node[trees[i] + 1]; node++) {
            b->tree[node] = (uint16_t)i;
            b->tests[count++] = sorted_test_of(e, node);
        }
    sorted_tests_sort(b->tests, count);
    return count;
}

static bool begins_list(const struct sorted_test *tests, size_t i) {
    return i == 0 || !sorted_test_is_like(&tests[i], &tests[i - 1]);
}

static bool allocate(struct qs_tree_block *block, uint32_t words) {
    size_t n_values = (size_t)block->n_trees * words * QS_BLOCKS_WORD;
    block->list_feature = memory_aligned_alloc(block->n_lists * sizeof *block->list_feature);
    block->list_nan_left = memory_aligned_alloc(block->n_lists * sizeof *block->list_nan_left);
    block->list_begin = memory_aligned_alloc((block->n_lists + 1) * sizeof *block->list_begin);
    block->threshold = memory_aligned_alloc(block->n_entries * sizeof *block->threshold);
    block->mask = memory_aligned_alloc((size_t)block->n_entries * words * sizeof *block->mask);
    block->tree = memory_aligned_alloc(block->n_entries * sizeof *block->tree);
    block->values = memory_aligned_calloc(n_values, sizeof *block->values);
    return block->list_feature && block->list_nan_left && block->list_begin && block->threshold &&
           block->mask && block->tree && block->values;
}

static void fill_entries(const struct building *b, struct qs_tree_block *block) {
    uint32_t list = 0;
    for (uint32_t i = 0; i < block->n_entries; i++) {
        const struct sorted_test *test = &b->tests[i];
        if (begins_list(b->tests, i)) {
            block->list_feature[list] = sorted_test_feature(test);
            block->list_nan_left[list] = sorted_test_nan_left(test);
            block->list_begin[list++] = i;
        }
        block->threshold[i] = sorted_test_key(test);
        block->tree[i] = b->tree[test->node];
        for (uint32_t word = 0; word < b->words; word++)
            block->mask[(size_t)i * b->words + word] =
                (uint32_t)(b->keep[test->node] >> word * QS_BLOCKS_WORD);
    }
    block->list_begin[list] = block->n_entries;
}

static bool build_block(struct building *b, const uint32_t *trees, struct qs_tree_block *block) {
    const struct ensemble *e = b->ensemble;
    block->n_entries = (uint32_t)collect_tests(b, trees, block->n_trees);
    for (uint32_t i = 0; i < block->n_entries; i++)
        block->n_lists += begins_list(b->tests, i);
    if (!allocate(block, b->words))
        return false;
    fill_entries(b, block);
    for (uint32_t i = 0; i < block->n_trees; i++)
        memcpy(block->values + (size_t)i * b->words * QS_BLOCKS_WORD,
               e->value + e->tree_leaf[trees[i]],
               ensemble_tree_leaves(e, trees[i]) * sizeof *block->values);
    return true;
}

/* --- all blocks ------------------------------------------------------------------------------- */

static bool build_blocks(struct building *b, struct qs_tree_blocks *blocks) {
    size_t most = 0;
    for (uint32_t output = 0; output < b->ensemble->n_outputs; output++)
        most += (b->output_begin[output + 1] - b->output_begin[output] + b->tau - 1) / b->tau;
    blocks->blocks = calloc(most + 1, sizeof *blocks->blocks);
    if (!blocks->blocks)
        return false;
    for (uint32_t output = 0; output < b->ensemble->n_outputs; output++)
        for (size_t at = b->output_begin[output], end = b->output_begin[output + 1]; at < end;
             at += b->tau) {
            struct qs_tree_block *block = &blocks->blocks[blocks->n_blocks++];
            block->n_trees = (uint32_t)(end - at < b->tau ? end - at : b->tau);
            block->output = output;
            if (!build_block(b, b->order + at, block))
                return false;
        }
    return true;
}

enum status qs_blocks_build(const struct ensemble *ensemble, size_t tau, unsigned leaves,
                            struct qs_tree_blocks *blocks, struct error *error) {
    struct building b = {.ensemble = ensemble, .tau = tau, .words = leaves / QS_BLOCKS_WORD};
    *blocks = (struct qs_tree_blocks){.words = b.words};
    b.keep = memory_aligned_alloc(ensemble->n_nodes * sizeof *b.keep);
    b.tree = memory_aligned_alloc(ensemble->n_nodes * sizeof *b.tree);
    b.tests = memory_aligned_alloc(ensemble->n_nodes * sizeof *b.tests);
    bool done = b.keep && b.tree && b.tests && sort_trees(&b);
    if (done)
        find_masks(&b);
    done = done && build_blocks(&b, blocks);
    free(b.output_begin);
    free(b.order);
    free(b.keep);
    free(b.tree);
    free(b.tests);
    if (done)
        return STATUS_OK;
    qs_blocks_free(blocks);
    return error_memory(error, "blocks of trees");
}

void qs_blocks_free(struct qs_tree_blocks *blocks) {
    for (size_t i = 0; i < blocks->n_blocks; i++)
        block_free(&blocks->blocks[i]);
    free(blocks->blocks);
    *blocks = (struct qs_tree_blocks){.n_blocks = 0};
}
