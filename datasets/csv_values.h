/* Classifies the fields of a table: numbers, words, or missing. */
#ifndef DATASETS_CSV_VALUES_H
#define DATASETS_CSV_VALUES_H

#include "datasets/csv_fields.h"

#include <stdbool.h>

enum csv_kind { CSV_MISSING, CSV_NUMBER, CSV_TRUTH, CSV_WORD };

/* Returns the kind of a field. *value is set to its number, to 1 or 0 for a truth value, or to NaN.
 * If semicolons separate fields, numbers may have decimal commas. "nan" in any case is a number. */
enum csv_kind csv_classify(char separator, struct csv_field field, float *value);

/* The number of a numeric field or a truth value, as a double. */
double csv_exact_number(char separator, struct csv_field field);

bool csv_is_missing(struct csv_field field); /* empty, or a word such as NA */
bool csv_is_nan(struct csv_field field);

#endif
