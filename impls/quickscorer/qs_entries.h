/* The nodes of a block of trees in the order in which QuickScorer and RapidScorer visit them: by
 * feature, side of NaN and threshold.
 *
 * A leaf set consists of words of 8 or 64 bits; the lowest bit of the first word is the leftmost
 * leaf. An entry is one word that a false node changes. A node whose left subtree spans several
 * words has an entry for each of them. */
#ifndef IMPLS_QUICKSCORER_QS_ENTRIES_H
#define IMPLS_QUICKSCORER_QS_ENTRIES_H

#include "impls/shared/splits.h"

struct qs_entry {
    uint32_t feature, word;
    float threshold;
    bool nan_left;
    uint64_t stay; /* the bits of the word that a false node keeps */
};

struct qs_entries {
    unsigned word_bits;
    struct qs_entry *list;
    size_t count, capacity;
    struct split *splits; /* of one tree; room for `capacity_of_splits` nodes */
    size_t splits_capacity;
};
