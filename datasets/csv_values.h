/* What a field of a table is: a number, a word, or missing. */
#ifndef DATASETS_CSV_VALUES_H
#define DATASETS_CSV_VALUES_H

#include "datasets/csv_fields.h"

#include <stdbool.h>

enum csv_kind { CSV_MISSING, CSV_NUMBER, CSV_WORD };

/* The kind of a field, and its number; NaN if it has none. With semicolons between fields a number
 * may have a decimal comma. "nan" in any case is a number. */
enum csv_kind csv_classify(char separator, struct csv_field field, float *value);

/* The number of a field that is one, as a double. */
double csv_exact_number(char separator, struct csv_field field);

bool csv_is_missing(struct csv_field field); /* empty, or a word for it, such as NA */
bool csv_is_nan(struct csv_field field);

#endif
