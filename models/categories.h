/* The categories of a model's features: which word or number of a table is which code.
 *
 * Models that were trained on pandas' or XGBoost's own categories test codes: places in a list that
 * the model stores for each such feature. Lists hold words or numbers. */
#ifndef MODELS_CATEGORIES_H
#define MODELS_CATEGORIES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct categories;

/* NULL: no memory. If `refuse_unknown` is false, a word that is
 * not in the list is a missing value (LightGBM); otherwise it is an error (XGBoost). */
struct categories *categories_create(bool refuse_unknown);
void categories_free(struct categories *categories); /* NULL is fine */

/* Add the next code of a feature: the first gets 0. A feature has either words,
 * or numbers, or hashes: the low 32 bits of cityhash64 of words that nobody stored (CatBoost).
 * False: no memory. */
bool categories_add_word(struct categories *categories, uint32_t feature, const char *word,
                         size_t length);
bool categories_add_number(struct categories *categories, uint32_t feature, double number);
bool categories_add_hash(struct categories *categories, uint32_t feature, uint32_t hash);

/* How many codes a feature has; 0: it has no categories, and the others must not be asked. Hashes
 * are numbers too. */
uint32_t categories_count(const struct categories *categories, uint32_t feature);
bool categories_are_numbers(const struct categories *categories, uint32_t feature);
bool categories_are_hashes(const struct categories *categories, uint32_t feature);
bool categories_refuse_unknown(const struct categories *categories);

/* One code's word, or number. */
const char *categories_word(const struct categories *categories, uint32_t feature, uint32_t code,
                            size_t *length);
double categories_number(const struct categories *categories, uint32_t feature, uint32_t code);

/* The code of a table's field, or CATEGORIES_UNKNOWN. */
#define CATEGORIES_UNKNOWN UINT32_MAX
uint32_t categories_find(const struct categories *categories, uint32_t feature, const char *text,
                         size_t length);

#endif
