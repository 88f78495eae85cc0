/* The words of a table's columns. Their codes are 0, 1, ... in sorted order (by bytes): two tables
 * with the same words in a column agree, whatever the order of their lines. */
#ifndef DATASETS_WORDS_H
#define DATASETS_WORDS_H

#include "datasets/csv_fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct word {
    struct csv_field text; /* begin is NULL in a free slot */
    uint32_t column, number;
};

/* Begins as zeros. */
struct words {
    struct word *slots; /* a hash table; after words_sort, the words in order */
    size_t count, n_slots;
    uint32_t *ranks; /* [count] after words_sort: those of the first column by number, ... */
};

/* The number of a word, from 0 in the order in which its column's words come; *n_of_column of them
 * are there before. Keeps a pointer to its text. False: no memory. */
bool words_number(struct words *words, struct csv_field text, uint32_t column,
                  uint32_t *n_of_column, uint32_t *number);

/* Fills `ranks`; no more words then. False: no memory. */
bool words_sort(struct words *words);
void words_free(struct words *words);

#endif
