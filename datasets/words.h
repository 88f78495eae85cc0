/* The words in a table's columns. Within a column, the codes of the words are 0, 1, ... in sorted
 * order (by bytes). Two tables with the same words in a column therefore get the same codes,
 * whatever the order of their lines. */
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

/* Initialise with zeros. */
struct words {
    struct word *slots; /* a hash table; after words_sort, the words in order */
    size_t count, n_slots;
    /* [count] set by words_sort: the ranks (codes) of the first column's words, indexed by word
     * number, then the ranks of the next column's words, and so on. */
    uint32_t *ranks;
};

/* Sets *number to the number of a word. The words of a column are numbered from 0 in the order of
 * their first occurrence. *n_of_column is the number of words in the column so far; a new word
 * increments it. Keeps a pointer to the text. Returns false if out of memory. */
bool words_number(struct words *words, struct csv_field text, uint32_t column,
                  uint32_t *n_of_column, uint32_t *number);

/* Fills `ranks`. No words may be added afterwards. False if out of memory. */
bool words_sort(struct words *words);
void words_free(struct words *words);

#endif
