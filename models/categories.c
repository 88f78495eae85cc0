#include "models/categories.h"

#include "base/cityhash.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* The codes of one feature, in order: words as offsets into `text`, or numbers. */
struct list {
    uint32_t feature;
    bool is_hashed; /* the numbers are hashes of words */
    size_t *word;   /* [count + 1] offset of each word, then the end */
    char *text;
    size_t text_size, text_capacity;
    double *number;
    size_t word_capacity, number_capacity;
    uint32_t count;
};

struct categories {
    bool refuse_unknown;
    struct list *lists; /* sorted by feature */
    size_t n_lists, capacity;
};

struct categories *categories_create(bool refuse_unknown) {
    struct categories *categories = calloc(1, sizeof *categories);
    if (categories)
        categories->refuse_unknown = refuse_unknown;
    return categories;
}

void categories_free(struct categories *categories) {
    if (!categories)
        return;
    for (size_t i = 0; i < categories->n_lists; i++) {
        free(categories->lists[i].word);
        free(categories->lists[i].text);
        free(categories->lists[i].number);
    }
    free(categories->lists);
    free(categories);
}

/* Finds the first list of this feature or a later one. */
static size_t find_place(const struct categories *categories, uint32_t feature) {
    size_t low = 0, high = categories->n_lists;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (categories->lists[middle].feature < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the list of a feature; NULL if there is none. */
static const struct list *find_list(const struct categories *categories, uint32_t feature) {
    size_t place = categories ? find_place(categories, feature) : 0;
    return categories && place < categories->n_lists && categories->lists[place].feature == feature
               ? &categories->lists[place]
               : NULL;
}

/* Returns the list of a feature, creating an empty list if there is none. NULL if out of memory. */
static struct list *get_list(struct categories *categories, uint32_t feature) {
    size_t place = find_place(categories, feature);
    if (place < categories->n_lists && categories->lists[place].feature == feature)
        return &categories->lists[place];
    if (!memory_grow((void **)&categories->lists, &categories->capacity, categories->n_lists,
                     sizeof *categories->lists))
        return NULL;
    struct list *list = categories->lists + place;
    memmove(list + 1, list, (categories->n_lists++ - place) * sizeof *list);
    *list = (struct list){.feature = feature};
    return list;
}

bool categories_add_word(struct categories *categories, uint32_t feature, const char *word,
                         size_t length) {
    struct list *list = get_list(categories, feature);
    size_t begin = list ? list->text_size : 0;
    /* The array has one entry more than there are words, for the end of the last word. */
    if (!list ||
        !memory_grow((void **)&list->word, &list->word_capacity, (size_t)list->count + 1,
                     sizeof *list->word) ||
        !memory_append((void **)&list->text, &list->text_capacity, &list->text_size, word, length,
                       1))
        return false;
    list->word[list->count++] = begin;
    list->word[list->count] = list->text_size;
    return true;
}

bool categories_add_number(struct categories *categories, uint32_t feature, double number) {
    struct list *list = get_list(categories, feature);
    if (!list || !memory_grow((void **)&list->number, &list->number_capacity, list->count,
                              sizeof *list->number))
        return false;
    list->number[list->count++] = number;
    return true;
}

bool categories_add_hashed(struct categories *categories, uint32_t feature) {
    struct list *list = get_list(categories, feature);
    if (list)
        list->is_hashed = true;
    return list != NULL;
}

bool categories_add_hash(struct categories *categories, uint32_t feature, uint32_t hash) {
    return categories_add_hashed(categories, feature) &&
           categories_add_number(categories, feature, (double)hash);
}

bool categories_has(const struct categories *categories, uint32_t feature) {
    return find_list(categories, feature) != NULL;
}

uint32_t categories_count(const struct categories *categories, uint32_t feature) {
    const struct list *list = find_list(categories, feature);
    return list ? list->count : 0;
}

bool categories_are_numbers(const struct categories *categories, uint32_t feature) {
    const struct list *list = find_list(categories, feature);
    return list->number || list->is_hashed;
}

bool categories_are_hashes(const struct categories *categories, uint32_t feature) {
    return find_list(categories, feature)->is_hashed;
}

bool categories_refuse_unknown(const struct categories *categories) {
    return categories->refuse_unknown;
}

const char *categories_word(const struct categories *categories, uint32_t feature, uint32_t code,
                            size_t *length) {
    const struct list *list = find_list(categories, feature);
    *length = list->word[code + 1] - list->word[code];
    return list->text ? list->text + list->word[code] : "";
}

double categories_number(const struct categories *categories, uint32_t feature, uint32_t code) {
    return find_list(categories, feature)->number[code];
}

static uint32_t find_number(const struct list *list, const char *text, size_t length) {
    double number = (double)(uint32_t)cityhash64(text, length);
    if (!list->is_hashed && number_parse_double(text, text + length, &number) != text + length)
        return CATEGORIES_UNKNOWN;
    uint32_t code = 0;
    while (code < list->count && list->number[code] != number)
        code++;
    return code < list->count ? code : CATEGORIES_UNKNOWN;
}

static uint32_t find_word(const struct list *list, const char *text, size_t length) {
    for (uint32_t code = 0; code < list->count; code++)
        if (list->word[code + 1] - list->word[code] == length &&
            (length == 0 || memcmp(list->text + list->word[code], text, length) == 0))
            return code;
    return CATEGORIES_UNKNOWN;
}

static uint32_t find_text(const struct list *list, const char *text, size_t length) {
    return list->number ? find_number(list, text, length) : find_word(list, text, length);
}

uint32_t categories_find(const struct categories *categories, uint32_t feature, const char *text,
                         size_t length) {
    const struct list *list = find_list(categories, feature);
    uint32_t code = find_text(list, text, length);
    float truth;
    if (code != CATEGORIES_UNKNOWN || list->is_hashed ||
        !number_parse_truth(text, text + length, &truth))
        return code;
    /* The model may spell the truth value in another way than the table. */
    for (int i = 0; code == CATEGORIES_UNKNOWN && i < TRUTH_SPELLINGS; i++) {
        const char *spelling = number_truths[truth != 0][i];
        code = find_text(list, spelling, strlen(spelling));
    }
    return code;
}
