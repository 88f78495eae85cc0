/* Numbers to and from text, exactly and independent of the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each parser reads the longest number at the start of [text, end) and returns the first character
 * behind it, or NULL when there is none or it does not fit the type. Decimal floats are rounded to
 * nearest, ties to even, of the *type asked for* (never first to double). "nan", "inf" and
 * "infinity" (any case, signed) are numbers too; hexadecimal floats are not. A float over the
 * largest finite one is an error, one under the smallest rounds to zero or to a subnormal. */
const char *number_parse_float(const char *text, const char *end, float *value);
const char *number_parse_double(const char *text, const char *end, double *value);
const char *number_parse_u32(const char *text, const char *end, uint32_t *value);
const char *number_parse_i64(const char *text, const char *end, int64_t *value);

/* The largest float that is <= value: `x <= value` and `x <= number_round_down(value)` are the same
 * test for every float x. NaN stays NaN. */
float number_round_down(double value);

/* The test `x < t` for floats x is the test `x <= number_below(t)`. */
float number_below(float t);

enum { NUMBER_TEXT_SIZE = 32 };

/* The shortest decimal text that reads back as the same value (finite values only). */
void number_format_float(float value, char text[static NUMBER_TEXT_SIZE]);
void number_format_double(double value, char text[static NUMBER_TEXT_SIZE]);

#endif
