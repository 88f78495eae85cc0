/* The nodes of a block of trees in the order in which QuickScorer and RapidScorer visit them: by
 * feature, side of NaN and threshold.
 *
 * A tree's leaf set has a bit for each leaf, in words of 8 or 64 bits. Bit i is leaf i from the
 * left. A false node (qs_model.h) clears the bits of its left subtree. An entry is one word that a
 * false node changes, so a node whose left subtree spans several words has several entries. */
#ifndef IMPLS_QUICKSCORER_QS_ENTRIES_H
#define IMPLS_QUICKSCORER_QS_ENTRIES_H

#include "impls/shared/splits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qs_entry {
    uint32_t feature, word;
    float threshold;
    bool nan_left;
    uint64_t stay; /* the bits of the word that a false node keeps */
};

struct qs_entries {
    const struct ensemble *ensemble;
    unsigned word_bits;
    struct qs_entry *list; /* [count] */
    size_t count, capacity;
    struct split *splits; /* of one tree */
};

/* Begins an empty list. False if out of memory; call qs_entries_free in any case. */
bool qs_entries_begin(struct qs_entries *entries, const struct ensemble *ensemble,
                      unsigned word_bits);
void qs_entries_free(struct qs_entries *entries);

/* Appends the entries of a tree whose leaf set begins at `first_word`. False if out of memory. */
bool qs_entries_add_tree(struct qs_entries *entries, uint32_t tree, uint32_t first_word);

/* Sorts the entries from `begin` on. Entries of the same test are sorted by word. */
void qs_entries_sort(struct qs_entries *entries, size_t begin);

/* Is the entry the first of its feature and side of NaN? `first` is the block's first entry. */
static inline bool qs_entry_begins_list(const struct qs_entry *entry,
                                        const struct qs_entry *first) {
    return entry == first || entry->feature != entry[-1].feature ||
           entry->nan_left != entry[-1].nan_left;
}

#endif
