/* Reads members of the flat JSON objects that XGBoost's calls take. Their numbers may be NaN, which
 * other readers of JSON reject. */
#ifndef DROPIN_XGBOOST_FLAT_H
#define DROPIN_XGBOOST_FLAT_H

#include <stdbool.h>

/* The text of a member's value; NULL if there is no such member. */
const char *flat_find(const char *text, const char *name);

/* Set *value. Return false if the member is missing or is something else. */
bool flat_integer(const char *text, const char *name, long *value);
bool flat_float(const char *text, const char *name, float *value);
bool flat_bool(const char *text, const char *name, bool *value);

#endif
