#include "datasets/words.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static size_t hash(struct csv_field text, uint32_t column) {
    uint64_t h = hash_bytes(HASH_START ^ column, text.begin, (size_t)(text.end - text.begin));
    return (size_t)(h ^ h >> 32);
}

static int compare_texts(struct csv_field a, struct csv_field b) {
    size_t length = (size_t)(a.end - a.begin), other = (size_t)(b.end - b.begin);
    int order = memcmp(a.begin, b.begin, length < other ? length : other);
    return order ? order : (length > other) - (length < other);
}

/* Returns the slot of a word, or the free slot to store it in. */
static struct word *find_slot(struct word *slots, size_t count, struct csv_field text,
                              uint32_t column) {
    for (size_t i = hash(text, column) & (count - 1);; i = (i + 1) & (count - 1)) {
        struct word *slot = &slots[i];
        if (!slot->text.begin || (slot->column == column && compare_texts(slot->text, text) == 0))
            return slot;
    }
}

static bool grow(struct words *words) {
    size_t count = words->n_slots ? words->n_slots * 2 : 64;
    struct word *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < words->n_slots; i++) {
        const struct word *old = &words->slots[i];
        if (old->text.begin)
            *find_slot(slots, count, old->text, old->column) = *old;
    }
    free(words->slots);
    words->slots = slots;
    words->n_slots = count;
    return true;
}

bool words_number(struct words *words, struct csv_field text, uint32_t column,
                  uint32_t *n_of_column, uint32_t *number) {
    if (words->count >= words->n_slots / 2 && !grow(words))
        return false;
    struct word *slot = find_slot(words->slots, words->n_slots, text, column);
    if (!slot->text.begin) {
        *slot = (struct word){text, column, (*n_of_column)++};
        words->count++;
    }
    *number = slot->number;
    return true;
}

static int compare_words(const void *a, const void *b) {
    const struct word *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return compare_texts(x->text, y->text);
}

bool words_sort(struct words *words) {
    size_t count = 0;
    for (size_t i = 0; i < words->n_slots; i++)
        if (words->slots[i].text.begin)
            words->slots[count++] = words->slots[i];
    if (count == 0)
        return true;
    words->ranks = malloc(count * sizeof *words->ranks);
    if (!words->ranks)
        return false;
    qsort(words->slots, count, sizeof *words->slots, compare_words);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (words->slots[i].column != words->slots[first].column)
            first = i;
        words->ranks[first + words->slots[i].number] = (uint32_t)(i - first);
    }
    return true;
}

void words_free(struct words *words) {
    free(words->slots);
    free(words->ranks);
    *words = (struct words){0};
}
