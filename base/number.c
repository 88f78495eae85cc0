#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The value is mantissa * 10^exponent where nothing was dropped, and otherwise a little more: the
 * mantissa holds the first 19 significant digits. */
struct decimal {
    bool negative, dropped;
    uint64_t mantissa;
    int64_t exponent;
    const char *digits, *digits_end; /* as in the text, perhaps with a point between them */
    int64_t typed_exponent;          /* the number behind the "e" */
};

enum {
    MANTISSA_DIGITS = 19,  /* as many as always fit 64 bits */
    DOUBLE_DIGITS = 768,   /* no more digits decide how a double is rounded (and one sticky) */
    EXPONENT_BOUND = 10000 /* of the rewritten number: beyond it lie only zero and infinity */
};
static const int64_t TYPED_EXPONENT_BOUND = (int64_t)1 << 60;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The optional "e12" behind the digits; without digits the "e" is no part of the number. */
static const char *scan_exponent(const char *text, const char *end, int64_t *exponent) {
    const char *at = text;
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

static void add_digit(struct decimal *decimal, int *n_digits, char c) {
    if (*n_digits < MANTISSA_DIGITS) {
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(c - '0');
        *n_digits += decimal->mantissa != 0; /* leading zeros do not count */
    } else {
        decimal->dropped |= c != '0';
        decimal->exponent++;
    }
}

static const char *scan_decimal(const char *text, const char *end, struct decimal *decimal) {
    const char *at = text;
    *decimal = (struct decimal){.negative = at < end && *at == '-'};
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    decimal->digits = at;
    int n_digits = 0;
    for (; at < end && is_digit(*at); at++)
        add_digit(decimal, &n_digits, *at);
    bool any = at > decimal->digits;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        for (; at < end && is_digit(*at); at++)
            add_digit(decimal, &n_digits, *at);
        decimal->exponent -= at - fraction;
        any |= at > fraction;
    }
    if (!any)
        return NULL;
    decimal->digits_end = at;
    at = scan_exponent(at, end, &decimal->typed_exponent);
    decimal->exponent += decimal->typed_exponent;
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

/* Writes the decimal as "123e-4", without a point (which strtod reads by the locale) and with a
 * bounded number of digits: a last "1" stands for all that were cut. */
enum { REWRITTEN_SIZE = DOUBLE_DIGITS + 40 };
static void rewrite(const struct decimal *decimal, char text[static REWRITTEN_SIZE]) {
    size_t used = 0;
    bool sticky = false, behind_point = false;
    int64_t exponent = decimal->typed_exponent;
    for (const char *at = decimal->digits; at < decimal->digits_end; at++) {
        if (*at == '.') {
            behind_point = true;
            continue;
        }
        bool leading_zero = used == 0 && *at == '0';
        if (leading_zero || used < DOUBLE_DIGITS) {
            if (!leading_zero)
                text[used++] = *at;
            exponent -= behind_point;
        } else {
            sticky |= *at != '0';
            exponent += !behind_point;
        }
    }
    if (used == 0)
        text[used++] = '0';
    if (sticky) {
        text[used++] = '1';
        exponent--;
    }
    if (exponent > EXPONENT_BOUND)
        exponent = EXPONENT_BOUND;
    if (exponent < -EXPONENT_BOUND)
        exponent = -EXPONENT_BOUND;
    snprintf(text + used, REWRITTEN_SIZE - used, "e%d", (int)exponent);
}

static const double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Both factors of the result are doubles exactly (the mantissa where it is at most 2^53), so that
 * it is rounded once. */
static bool scale(const struct decimal *decimal, double *value) {
    if (decimal->exponent < -22 || decimal->exponent > 22)
        return false;
    double mantissa = (double)decimal->mantissa;
    *value = decimal->exponent < 0 ? mantissa / POWERS_OF_TEN[-decimal->exponent]
                                   : mantissa * POWERS_OF_TEN[decimal->exponent];
    return true;
}

/* A double that is off by a few units in its last place rounds to the right float unless one of
 * the points halfway between two floats is as near; those are left to strtof, as is whatever is
 * near the ends of the range. */
static bool round_to_float(double value, float *rounded) {
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
        rewrite(&decimal, rewritten);
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
    bool exact = !decimal.dropped && decimal.mantissa <= UINT64_C(1) << 53;
    if (!exact || !scale(&decimal, &magnitude)) {
        char rewritten[REWRITTEN_SIZE];
        rewrite(&decimal, rewritten);
        magnitude = strtod(rewritten, NULL);
    }
    if (isinf(magnitude))
        return NULL;
    *value = decimal.negative ? -magnitude : magnitude;
    return behind;
}

static const char *parse_u64(const char *text, const char *end, uint64_t *value) {
    const char *at = text;
    uint64_t sum = 0;
    for (; at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
            return NULL;
    *value = sum;
    return at > text ? at : NULL;
}

const char *number_parse_u32(const char *text, const char *end, uint32_t *value) {
    uint64_t wide;
    const char *behind = parse_u64(text, end, &wide);
    if (!behind || wide > UINT32_MAX)
        return NULL;
    *value = (uint32_t)wide;
    return behind;
}

const char *number_parse_i64(const char *text, const char *end, int64_t *value) {
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    uint64_t magnitude;
    const char *behind = parse_u64(text, end, &magnitude);
    if (!behind || magnitude > (uint64_t)INT64_MAX + negative)
        return NULL;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return behind;
}

float number_round_down(double value) {
    float nearest = (float)value;
    return (double)nearest > value ? nextafterf(nearest, -INFINITY) : nearest;
}

float number_below(float t) {
    return t == -INFINITY ? NAN : nextafterf(t, -INFINITY);
}

/* Fewer digits are not always a shorter text ("1e+02"): the search goes on while an exponent might
 * go away. */
static void format_shortest(double value, int max_digits, bool (*reads_back)(const char *, double),
                            char text[static NUMBER_TEXT_SIZE]) {
    size_t shortest = NUMBER_TEXT_SIZE;
    for (int digits = 1; digits <= max_digits; digits++) {
        char attempt[NUMBER_TEXT_SIZE];
        snprintf(attempt, sizeof attempt, "%.*g", digits, value);
        if (strlen(attempt) < shortest && reads_back(attempt, value)) {
            shortest = strlen(attempt);
            memcpy(text, attempt, shortest + 1);
        }
        if (shortest < NUMBER_TEXT_SIZE && !strstr(text, "e+"))
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
    format_shortest((double)value, 9, float_reads_back, text);
}

void number_format_double(double value, char text[static NUMBER_TEXT_SIZE]) {
    format_shortest(value, 17, double_reads_back, text);
}
