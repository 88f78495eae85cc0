#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The value is mantissa * 10^exponent. If there are too many digits, the mantissa may have wrapped
 * around and must not be used. */
struct decimal {
    bool negative, too_long;
    uint64_t mantissa;
    int64_t exponent;
};

enum {
    MANTISSA_DIGITS = 18,  /* decimals with this many digits always fit 63 bits */
    DOUBLE_DIGITS = 768,   /* of the digits after these, it only matters whether all are 0 */
    EXPONENT_BOUND = 10000 /* larger exponents give only zero or infinity */
};
static const int64_t TYPED_EXPONENT_BOUND = (int64_t)1 << 60;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Scans an optional exponent such as "e12". An "e" without digits is not part of the number. */
static const char *scan_exponent(const char *text, const char *end, int64_t *exponent) {
    const char *at = text;
    *exponent = 0;
    if (at == end || (*at != 'e' && *at != 'E'))
        return text;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return text;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (value < TYPED_EXPONENT_BOUND / 10)
            value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at;
}

static inline const char *scan_digits(const char *at, const char *end, uint64_t *mantissa) {
    for (; at < end && is_digit(*at); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Inline, so that the members of the decimal stay in registers. Reading documents spends most of
 * its time here. */
__attribute__((always_inline)) static inline const char *
scan_decimal(const char *text, const char *end, struct decimal *decimal) {
    const char *at = text;
    uint64_t mantissa = 0;
    int64_t exponent = 0, typed_exponent;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *digits = at;
    at = scan_digits(at, end, &mantissa);
    ptrdiff_t n_digits = at - digits;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = scan_digits(at, end, &mantissa);
        exponent = fraction - at;
        n_digits += at - fraction;
    }
    if (n_digits == 0)
        return NULL;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at = scan_exponent(at, end, &typed_exponent);
        exponent += typed_exponent;
    }
    *decimal = (struct decimal){negative, n_digits > MANTISSA_DIGITS, mantissa, exponent};
    return at;
}

static const char *scan_word(const char *text, const char *end, const char *word) {
    size_t length = strlen(word);
    bool same = (size_t)(end - text) >= length && strncasecmp(text, word, length) == 0;
    return same ? text + length : NULL;
}

/* "nan", "inf" or "infinity". */
static const char *parse_special(const char *text, const char *end, double *value) {
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    const char *behind;
    double magnitude = INFINITY;
    if ((behind = scan_word(text, end, "nan")))
        magnitude = NAN;
    else if (!(behind = scan_word(text, end, "infinity")))
        behind = scan_word(text, end, "inf");
    if (behind)
        *value = negative ? -magnitude : magnitude;
    return behind;
}

/* Writes the magnitude of the decimal [text, end) as "123e-4" for strtod. There is no decimal
 * point, because the locale decides which point strtod reads. The number of digits is bounded: a
 * final "1" stands for all digits that were cut. */
enum { REWRITTEN_SIZE = DOUBLE_DIGITS + 40 };
static void rewrite(const char *text, const char *end, char rewritten[static REWRITTEN_SIZE]) {
    size_t used = 0;
    bool sticky = false, behind_point = false;
    int64_t exponent = 0, typed_exponent;
    const char *at = text + (*text == '-' || *text == '+');
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        bool leading_zero = used == 0 && *at == '0';
        if (*at == '.') {
            behind_point = true;
        } else if (leading_zero || used < DOUBLE_DIGITS) {
            if (!leading_zero)
                rewritten[used++] = *at;
            exponent -= behind_point;
        } else {
            sticky |= *at != '0';
            exponent += !behind_point;
        }
    }
    if (used == 0)
        rewritten[used++] = '0';
    if (sticky) {
        rewritten[used++] = '1';
        exponent--;
    }
    scan_exponent(at, end, &typed_exponent);
    exponent += typed_exponent;
    if (exponent > EXPONENT_BOUND)
        exponent = EXPONENT_BOUND;
    if (exponent < -EXPONENT_BOUND)
        exponent = -EXPONENT_BOUND;
    snprintf(rewritten + used, REWRITTEN_SIZE - used, "e%d", (int)exponent);
}

static const double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Computes the value in double. The result is rounded once if the mantissa is at most 2^53, because
 * both factors are then exact. */
static inline bool scale(const struct decimal *decimal, double *value) {
    if (decimal->too_long || decimal->exponent < -22 || decimal->exponent > 22)
        return false;
    double mantissa = (double)(int64_t)decimal->mantissa; /* signed converts faster */
    *value = decimal->exponent < 0 ? mantissa / POWERS_OF_TEN[-decimal->exponent]
                                   : mantissa * POWERS_OF_TEN[decimal->exponent];
    return true;
}

/* Rounds a double that may be wrong by a few units in the last place to the correct float. Returns
 * false if the double is too close to the midpoint of two floats or near the ends of float's range.
 * The caller then uses strtof. */
static inline bool round_to_float(double value, float *rounded) {
    enum { DROPPED_BITS = 29, SLACK = 8 };
    if (value == 0) {
        *rounded = 0;
        return true;
    }
    if (!(value >= 0x1p-125 && value < 0x1p127))
        return false;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t above_low = (bits & ((UINT64_C(1) << DROPPED_BITS) - 1)) + SLACK;
    if (above_low - (UINT64_C(1) << (DROPPED_BITS - 1)) <= 2 * SLACK)
        return false;
    *rounded = (float)value;
    return true;
}

const char *number_parse_float(const char *text, const char *end, float *value) {
    struct decimal decimal;
    const char *behind = scan_decimal(text, end, &decimal);
    if (!behind) {
        double special;
        behind = parse_special(text, end, &special);
        if (behind)
            *value = (float)special;
        return behind;
    }
    double nearly;
    float magnitude;
    if (!scale(&decimal, &nearly) || !round_to_float(nearly, &magnitude)) {
        char rewritten[REWRITTEN_SIZE];
        rewrite(text, behind, rewritten);
        magnitude = strtof(rewritten, NULL);
    }
    if (isinf(magnitude))
        return NULL;
    *value = decimal.negative ? -magnitude : magnitude;
    return behind;
}

const char *number_parse_double(const char *text, const char *end, double *value) {
    struct decimal decimal;
    const char *behind = scan_decimal(text, end, &decimal);
    if (!behind)
        return parse_special(text, end, value);
    double magnitude;
    bool exact = decimal.mantissa <= UINT64_C(1) << 53;
    if (!exact || !scale(&decimal, &magnitude)) {
        char rewritten[REWRITTEN_SIZE];
        rewrite(text, behind, rewritten);
        magnitude = strtod(rewritten, NULL);
    }
    if (isinf(magnitude))
        return NULL;
    *value = decimal.negative ? -magnitude : magnitude;
    return behind;
}

static inline const char *parse_digits(const char *text, const char *end, uint64_t limit,
                                       uint64_t *value) {
    const char *at = text;
    uint64_t sum = 0;
    for (; at < end && is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (sum > limit / 10 || digit > limit - sum * 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return at > text ? at : NULL;
}

const char *number_parse_u32(const char *text, const char *end, uint32_t *value) {
    uint64_t wide;
    const char *behind = parse_digits(text, end, UINT32_MAX, &wide);
    if (behind)
        *value = (uint32_t)wide;
    return behind;
}

const char *number_parse_i64(const char *text, const char *end, int64_t *value) {
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    uint64_t magnitude;
    const char *behind = parse_digits(text, end, (uint64_t)INT64_MAX + negative, &magnitude);
    if (behind)
        *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return behind;
}

const char *const number_truths[2][TRUTH_SPELLINGS] = {{"False", "FALSE", "false"},
                                                       {"True", "TRUE", "true"}};

bool number_parse_truth(const char *text, const char *end, float *value) {
    const size_t length = (size_t)(end - text);
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < TRUTH_SPELLINGS; i++) {
            const char *spelling = number_truths[truth][i];
            if (strlen(spelling) == length && memcmp(spelling, text, length) == 0) {
                *value = (float)truth;
                return true;
            }
        }
    return false;
}

float number_round_down(double value) {
    float nearest = (float)value;
    return (double)nearest > value ? nextafterf(nearest, -INFINITY) : nearest;
}

float number_below(float t) {
    return t == -INFINITY ? NAN : nextafterf(t, -INFINITY);
}

/* The properties of a floating-point type that the search for the shortest text uses. */
struct float_type {
    int safe_digits, max_digits; /* FLT_DIG and FLT_DECIMAL_DIG of the type */
    double smallest_normal;
    bool (*reads_back)(const char *text, double value);
};

static bool try_digits(const struct float_type *type, int digits, double value,
                       char text[static NUMBER_TEXT_SIZE]) {
    snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, value);
    return type->reads_back(text, value);
}

/* Decimals with up to safe_digits digits survive the conversion to a normal float and back. If
 * safe_digits digits do not read back as the value, fewer digits cannot either. */
static int fewest_digits(const struct float_type *type, double value) {
    char text[NUMBER_TEXT_SIZE];
    bool skip =
        fabs(value) >= type->smallest_normal && !try_digits(type, type->safe_digits, value, text);
    return skip ? type->safe_digits + 1 : 1;
}

/* A text with fewer digits is not always shorter ("1e+02" and "100"), so the search continues with
 * more digits as long as the text has an exponent. */
static void format_shortest(const struct float_type *type, double value,
                            char text[static NUMBER_TEXT_SIZE]) {
    size_t shortest = NUMBER_TEXT_SIZE;
    for (int digits = fewest_digits(type, value); digits <= type->max_digits; digits++) {
        char attempt[NUMBER_TEXT_SIZE];
        if (!try_digits(type, digits, value, attempt))
            continue;
        if (strlen(attempt) < shortest) {
            shortest = strlen(attempt);
            memcpy(text, attempt, shortest + 1);
        }
        if (!strstr(text, "e+"))
            return;
    }
}

static bool float_reads_back(const char *text, double value) {
    float read;
    return number_parse_float(text, text + strlen(text), &read) && (double)read == value;
}

static bool double_reads_back(const char *text, double value) {
    double read;
    return number_parse_double(text, text + strlen(text), &read) && read == value;
}

void number_format_float(float value, char text[static NUMBER_TEXT_SIZE]) {
    static const struct float_type type = {FLT_DIG, FLT_DECIMAL_DIG, FLT_MIN, float_reads_back};
    format_shortest(&type, (double)value, text);
}

void number_format_double(double value, char text[static NUMBER_TEXT_SIZE]) {
    static const struct float_type type = {DBL_DIG, DBL_DECIMAL_DIG, DBL_MIN, double_reads_back};
    format_shortest(&type, value, text);
}

int64_t number_integer_at(enum number_type type, const void *numbers, size_t i) {
    uint64_t bits;
    switch (type) {
    case NUMBER_U8:
        return ((const uint8_t *)numbers)[i];
    case NUMBER_U16:
        return ((const uint16_t *)numbers)[i];
    case NUMBER_U32:
        return ((const uint32_t *)numbers)[i];
    case NUMBER_I32:
        return ((const int32_t *)numbers)[i];
    default:
        memcpy(&bits, (const char *)numbers + i * sizeof bits, sizeof bits);
        return (int64_t)bits;
    }
}
