#include "impls/quickscorer/qs_entries.h"

#include "base/memory.h"

#include <stdlib.h>

bool qs_entries_begin(struct qs_entries *entries, const struct ensemble *e, unsigned word_bits) {
    size_t most = ensemble_most_leaves(e, 0, e->n_trees);
    *entries = (struct qs_entries){.ensemble = e,
                                   .word_bits = word_bits,
                                   .splits = memory_aligned_alloc(most * sizeof *entries->splits)};
    return entries->splits != NULL;
}

void qs_entries_free(struct qs_entries *entries) {
    free(entries->list);
    free(entries->splits);
}

/* The bits in one word of a leaf set that stand for leaves of the split's left subtree. */
static uint64_t bits_in_word(const struct split *split, uint32_t word, unsigned word_bits) {
    uint32_t begin = word * word_bits, end = begin + word_bits;
    uint32_t first = split->first > begin ? split->first - begin : 0;
    uint32_t unused = 64 - word_bits + (split->middle < end ? end - split->middle : 0);
    return UINT64_MAX >> unused & UINT64_MAX << first;
}

bool qs_entries_add_tree(struct qs_entries *entries, uint32_t tree, uint32_t first_word) {
    const struct ensemble *e = entries->ensemble;
    unsigned bits = entries->word_bits;
    splits_find(e, tree, entries->splits);
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, tree); i++) {
        const struct split *split = &entries->splits[i];
        size_t node = e->tree_node[tree] + i;
        for (uint32_t word = split->first / bits; word * bits < split->middle; word++) {
            if (!memory_grow((void **)&entries->list, &entries->capacity, entries->count,
                             sizeof *entries->list))
                return false;
            entries->list[entries->count++] = (struct qs_entry){
                .feature = e->feature[node],
                .word = first_word + word,
                .threshold = e->threshold[node],
                .nan_left = e->nan_left[node],
                .stay = ~bits_in_word(split, word, bits),
            };
        }
    }
    return true;
}

static int compare_entries(const void *left, const void *right) {
    const struct qs_entry *a = left, *b = right;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    if (a->nan_left != b->nan_left)
        return a->nan_left ? 1 : -1;
    if (a->threshold != b->threshold)
        return a->threshold < b->threshold ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
}

void qs_entries_sort(struct qs_entries *entries, size_t begin) {
    if (entries->count >
        begin) /* the list may be NULL if it is empty, and qsort must not get NULL */
        qsort(entries->list + begin, entries->count - begin, sizeof *entries->list,
              compare_entries);
}
