/* Converts numbers from and to text, exactly and independently of the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each parser reads the longest number at the start of [text, end). It returns the first character
 * after the number, or NULL if there is no number or it does not fit the type. Decimals are rounded
 * once, directly to the requested type: to nearest, ties to even. For floats and doubles, "nan",
 * "inf" and "infinity" are numbers too, in any case and with a sign. Hexadecimal floats are not
 * numbers. A number beyond the largest finite value of the type is an error. A number closer to
 * zero than the smallest normal value rounds to zero or to a subnormal. */
const char *number_parse_float(const char *text, const char *end, float *value);
const char *number_parse_double(const char *text, const char *end, double *value);
const char *number_parse_u32(const char *text, const char *end, uint32_t *value);
const char *number_parse_i64(const char *text, const char *end, int64_t *value);

/* How pandas and R write false [0] and true [1]. */
enum { TRUTH_SPELLINGS = 3 };
extern const char *const number_truths[2][TRUTH_SPELLINGS];

/* Is the text one of number_truths? *value is set to 0 or 1. */
bool number_parse_truth(const char *text, const char *end, float *value);

/* The largest float <= value. `x <= value` and `x <= number_round_down(value)` are the same test
 * for every float x. NaN stays NaN. */
float number_round_down(double value);

/* For floats x, `x < t` is the same test as `x <= number_below(t)`. */
float number_below(float t);

enum { NUMBER_TEXT_SIZE = 32 };

/* The shortest decimal text that reads back as the same value. Infinity is "inf". No NaN. */
void number_format_float(float value, char text[static NUMBER_TEXT_SIZE]);
void number_format_double(double value, char text[static NUMBER_TEXT_SIZE]);

#endif
