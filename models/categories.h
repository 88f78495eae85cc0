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

/* For a model of n_features features. NULL: no memory. If `refuse_unknown` is false, a word that is
 * not in the list is a missing value (LightGBM); otherwise it is an error (XGBoost). */
struct categories *categories_create(uint32_t n_features, bool refuse_unknown);
void categories_free(struct categories *categories); /* NULL is fine */

/* Add the next code of a feature: the first gets 0. The feature must be under n_features, and a
 * feature has either words or numbers. False: no memory. */
bool categories_add_word(struct categories *categories, uint32_t feature, const char *word,
                         size_t length);
bool categories_add_number(struct categories *categories, uint32_t feature, double number);

/* How many codes a feature has; 0: it has no categories. */
uint32_t categories_count(const struct categories *categories, uint32_t feature);
bool categories_are_numbers(const struct categories *categories, uint32_t feature);
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
