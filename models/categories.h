/* The categories of a model's features, which map words and numbers in a table to codes.
 *
 * Models trained on pandas' or XGBoost's own categories test codes: positions in a list that the
 * model stores for each categorical feature. The list holds words or numbers. */
#ifndef MODELS_CATEGORIES_H
#define MODELS_CATEGORIES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct categories;

/* Returns NULL if out of memory. refuse_unknown decides what happens to a word that is not in the
 * list: an error (XGBoost) if true, a missing value (LightGBM) if false. */
struct categories *categories_create(bool refuse_unknown);
void categories_free(struct categories *categories); /* NULL is allowed */

/* Adds the next code of a feature, starting from 0. A feature has only words, only numbers or only
 * hashes. Hashes are the low 32 bits of cityhash64 of words that the model does not store
 * (CatBoost). Returns false if out of memory. */
bool categories_add_word(struct categories *categories, uint32_t feature, const char *word,
                         size_t length);
bool categories_add_number(struct categories *categories, uint32_t feature, double number);
bool categories_add_hash(struct categories *categories, uint32_t feature, uint32_t hash);

/* Gives a feature a list of hashes, which is empty unless categories_add_hash adds some. All words
 * of such a feature are unknown. */
bool categories_add_hashed(struct categories *categories, uint32_t feature);

/* Does the feature have a list, if only an empty one? */
bool categories_has(const struct categories *categories, uint32_t feature);

/* The number of codes of a feature. The other functions must be called only for features that have
 * a list. categories_are_numbers is also true for hashes. */
uint32_t categories_count(const struct categories *categories, uint32_t feature);
bool categories_are_numbers(const struct categories *categories, uint32_t feature);
bool categories_are_hashes(const struct categories *categories, uint32_t feature);
bool categories_refuse_unknown(const struct categories *categories);

/* The word or number of a code. */
const char *categories_word(const struct categories *categories, uint32_t feature, uint32_t code,
                            size_t *length);
double categories_number(const struct categories *categories, uint32_t feature, uint32_t code);

/* The code of a field in a table, or CATEGORIES_UNKNOWN. */
#define CATEGORIES_UNKNOWN UINT32_MAX
uint32_t categories_find(const struct categories *categories, uint32_t feature, const char *text,
                         size_t length);

#endif
