/* Converts numbers from and to text, exactly and independently of the locale; and from and to
 * bits. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* --- bits ------------------------------------------------------------------------------------- */

/* The number that `size` bytes hold, the lowest first. At most 8 bytes. */
static inline uint64_t number_little_endian(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | at[size];
    return value;
}

/* The float and the double with these bits, and the bits of a float. */
static inline float number_float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double number_double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint32_t number_bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The types of numbers in an array. */
enum number_type {
    NUMBER_U8,
    NUMBER_U16,
    NUMBER_U32,
    NUMBER_I32,
    NUMBER_U64,
    NUMBER_FLOAT,
    NUMBER_DOUBLE
};

/* An integer of an array; of doubles as NUMBER_U64, the bits of one. */
int64_t number_integer_at(enum number_type type, const void *numbers, size_t i);

/* Map floats to integers in the same order, and back; -0 becomes 0. */
static inline uint32_t number_to_ordered(float value) {
    uint32_t bits = number_bits_of(value + 0.0f);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}
static inline float number_from_ordered(uint32_t ordered) {
    return number_float_of(ordered >> 31 ? ordered & ~(UINT32_C(1) << 31) : ~ordered);
}

#endif
