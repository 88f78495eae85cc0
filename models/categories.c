#include "models/categories.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The codes of one feature, in their order: words as offsets into `text`, or numbers. */
struct list {
    size_t *word; /* [count + 1] where the words begin */
    char *text;
    size_t text_size, text_capacity;
    double *number;
    size_t word_capacity, number_capacity;
    uint32_t count;
};

struct categories {
    uint32_t n_features;
    bool refuse_unknown;
    struct list *lists;
};

struct categories *categories_create(uint32_t n_features, bool refuse_unknown) {
    struct categories *categories = calloc(1, sizeof *categories);
    if (!categories)
        return NULL;
    categories->lists = calloc((size_t)n_features + 1, sizeof *categories->lists);
    if (!categories->lists) {
        free(categories);
        return NULL;
    }
    categories->n_features = n_features;
    categories->refuse_unknown = refuse_unknown;
    return categories;
}

void categories_free(struct categories *categories) {
    if (!categories)
        return;
    for (uint32_t f = 0; f < categories->n_features; f++) {
        free(categories->lists[f].word);
        free(categories->lists[f].text);
        free(categories->lists[f].number);
    }
    free(categories->lists);
    free(categories);
}

static bool add_text(struct list *list, const char *word, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!memory_grow((void **)&list->text, &list->text_capacity, list->text_size, 1))
            return false;
        list->text[list->text_size++] = word[i];
    }
    return true;
}

bool categories_add_word(struct categories *categories, uint32_t feature, const char *word,
                         size_t length) {
    struct list *list = &categories->lists[feature];
    size_t begin = list->text_size;
    /* One place more than words, for the end of the last one. */
    if (!memory_grow((void **)&list->word, &list->word_capacity, (size_t)list->count + 1,
                     sizeof *list->word) ||
        !add_text(list, word, length))
        return false;
    list->word[list->count++] = begin;
    list->word[list->count] = list->text_size;
    return true;
}

bool categories_add_number(struct categories *categories, uint32_t feature, double number) {
    struct list *list = &categories->lists[feature];
    if (!memory_grow((void **)&list->number, &list->number_capacity, list->count,
                     sizeof *list->number))
        return false;
    list->number[list->count++] = number;
    return true;
}

uint32_t categories_count(const struct categories *categories, uint32_t feature) {
    return categories && feature < categories->n_features ? categories->lists[feature].count : 0;
}

bool categories_are_numbers(const struct categories *categories, uint32_t feature) {
    return categories->lists[feature].number != NULL;
}

bool categories_refuse_unknown(const struct categories *categories) {
    return categories->refuse_unknown;
}

const char *categories_word(const struct categories *categories, uint32_t feature, uint32_t code,
                            size_t *length) {
    const struct list *list = &categories->lists[feature];
    *length = list->word[code + 1] - list->word[code];
    return list->text ? list->text + list->word[code] : "";
}

double categories_number(const struct categories *categories, uint32_t feature, uint32_t code) {
    return categories->lists[feature].number[code];
}

static uint32_t find_number(const struct list *list, const char *text, size_t length) {
    double number;
    if (number_parse_double(text, text + length, &number) != text + length)
        return CATEGORIES_UNKNOWN;
    uint32_t code = 0;
    while (code < list->count && list->number[code] != number)
        code++;
    return code < list->count ? code : CATEGORIES_UNKNOWN;
}

uint32_t categories_find(const struct categories *categories, uint32_t feature, const char *text,
                         size_t length) {
    const struct list *list = &categories->lists[feature];
    if (list->number)
        return find_number(list, text, length);
    for (uint32_t code = 0; code < list->count; code++) {
        if (list->word[code + 1] - list->word[code] == length &&
            (length == 0 || memcmp(list->text + list->word[code], text, length) == 0))
            return code;
    }
    return CATEGORIES_UNKNOWN;
}
