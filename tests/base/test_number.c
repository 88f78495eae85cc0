#include "base/number.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Parses a copy without a NUL after it, so that AddressSanitizer detects reads past the end.
 * Returns the number of characters parsed, or -1. */
static int parse_float(const char *text, float *value) {
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    const char *behind = number_parse_float(copy, copy + length, value);
    int taken = behind ? (int)(behind - copy) : -1;
    free(copy);
    return taken;
}

static int parse_double(const char *text, double *value) {
    const char *behind = number_parse_double(text, text + strlen(text), value);
    return behind ? (int)(behind - text) : -1;
}

/* --- against the C library ------------------------------------------------------------------- */
static void check_like_library(const char *text) {
    float f = 0, f_expected = strtof(text, NULL);
    int taken = parse_float(text, &f);
    if (isinf(f_expected))
        assert_int_equal(taken, -1);
    else if (taken != (int)strlen(text) || bits_of_float(f) != bits_of_float(f_expected))
        fail_msg("%s: float %a instead of %a", text, (double)f, (double)f_expected);

    double d = 0, d_expected = strtod(text, NULL);
    taken = parse_double(text, &d);
    if (isinf(d_expected))
        assert_int_equal(taken, -1);
    else if (taken != (int)strlen(text) || bits_of_double(d) != bits_of_double(d_expected))
        fail_msg("%s: double %a instead of %a", text, d, d_expected);
}

static float any_float(struct random *random) {
    uint32_t bits = (uint32_t)random_u64(random);
    float value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 1;
}

static void random_numbers_are_rounded_like_the_library(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 1);
    for (int i = 0; i < 100000; i++) {
        char text[512];
        int digits = 1 + (int)random_below(&random, 40);
        double value = i % 2 ? (double)any_float(&random) : random_double(&random) * 1000;
        snprintf(text, sizeof text, i % 3 ? "%.*g" : "%.*f", digits, value);
        check_like_library(text);
    }
}

/* Just below, at and just above the midpoint of two floats, with up to 120 digits. */
static void halfway_points_are_rounded_to_even(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 2);
    for (int i = 0; i < 20000; i++) {
        float low = i % 2 ? fabsf(any_float(&random)) : 1000 * random_float(&random) + 1e-6f;
        double half = ((double)low + (double)nextafterf(low, 0)) / 2;
        char text[512];
        snprintf(text, sizeof text, "%.*e", 6 + (int)random_below(&random, 120), half);
        check_like_library(text);
    }
    float value;
    parse_float("16777217", &value); /* 2^24 + 1: rounded to even, down */
    assert_true(value == 16777216);
    parse_float("16777217.0000000000000000000000000000000000000001", &value);
    assert_true(value == 16777218);
    parse_float("16777219", &value); /* rounded to even, up */
    assert_true(value == 16777220);
    /* Rounded to a double first, this would be exactly the midpoint and then round to even: up. */
    parse_float("1.00000017881393432617187499", &value);
    assert_int_equal(bits_of_float(value), 0x3f800001);
}

static void very_long_digit_strings_are_right(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    char text[LENGTH + 32];
    /* 2^24 + 1, zeros, and a last digit that decides the rounding. */
    memset(text, '0', LENGTH);
    memcpy(text, "16777217.", 9);
    strcpy(text + LENGTH, "1");
    check_like_library(text);
    strcpy(text + LENGTH, "0");
    check_like_library(text);
    /* A small number and a large one, written with many zeros. */
    memset(text, '0', LENGTH);
    memcpy(text, "0.", 2);
    strcpy(text + LENGTH, "123e5000");
    check_like_library(text);
    memset(text, '0', LENGTH);
    text[0] = '7';
    strcpy(text + LENGTH, "e-4990");
    check_like_library(text);
    memset(text, '9', LENGTH);
    strcpy(text + LENGTH, "e-5000");
    check_like_library(text);
}

/* --- edges ------------------------------------------------------------------------------------ */
static void ends_of_the_range(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0e999999999999999999999",
                                        "1e-999999999999999999999",
                                        "1e39",
                                        "-1e39",
                                        "1e999999999999999999999",
                                        "3.4028235e38",
                                        "3.4028236e38",
                                        "1.4e-45",
                                        "7e-46",
                                        "7.1e-46",
                                        "1.17549435e-38",
                                        "5e-324",
                                        "2e-324",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "9007199254740993",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678",
                                        "18446744073709551616",
                                        "999999999999999999e22"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_like_library(texts[i]);
}

static void the_longest_number_is_taken(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int taken;
        float value;
    } cases[] = {{"1:2", 1, 1},
                 {"1e", 1, 1},
                 {"1e+", 1, 1},
                 {"1e+2x", 4, 100},
                 {"1.", 2, 1},
                 {".5", 2, .5f},
                 {"+.5e1", 5, 5},
                 {"-1.5.5", 4, -1.5f},
                 {"0x10", 1, 0},
                 {"1,5", 1, 1},
                 {"inf", 3, INFINITY},
                 {"-INF", 4, -INFINITY},
                 {"infinit", 3, INFINITY},
                 {"+Infinity8", 9, INFINITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float value = 0;
        if (parse_float(cases[i].text, &value) != cases[i].taken || value != cases[i].value)
            fail_msg("'%s'", cases[i].text);
    }
    float nan_value = 0;
    assert_int_equal(parse_float("NaN", &nan_value), 3);
    assert_true(isnan(nan_value));
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",    "-",  "+", ".",   "-.", "e5",
                                        ".e5", " 1", "x", "--1", "in", "na"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float f;
        double d;
        assert_int_equal(parse_float(texts[i], &f), -1);
        assert_int_equal(parse_double(texts[i], &d), -1);
    }
}

static void integers(void **state) {
    (void)state;
    uint32_t u;
    int64_t i;
    const char *text = "4294967295 4294967296 9223372036854775807 9223372036854775808";
    const char *end = text + strlen(text);
    assert_ptr_equal(number_parse_u32(text, end, &u), text + 10);
    assert_int_equal(u, UINT32_MAX);
    assert_null(number_parse_u32(text + 11, end, &u));
    assert_null(number_parse_u32(text, text, &u));
    const char *bad = "-1 99999999999999999999999999 -";
    assert_null(number_parse_u32(bad, bad + 2, &u));
    assert_null(number_parse_u32(bad + 3, bad + 29, &u));
    assert_null(number_parse_i64(bad + 3, bad + 29, &i));
    assert_null(number_parse_i64(bad + 30, bad + 31, &i));
    assert_ptr_equal(number_parse_i64(text + 22, end, &i), text + 41);
    assert_true(i == INT64_MAX);
    assert_null(number_parse_i64(text + 42, end, &i));
    const char *low = "-9223372036854775808x-9223372036854775809";
    assert_ptr_equal(number_parse_i64(low, low + strlen(low), &i), low + 20);
    assert_true(i == INT64_MIN);
    assert_null(number_parse_i64(low + 21, low + strlen(low), &i));
}

/* --- thresholds ------------------------------------------------------------------------------- */
static void check_round_down(double value) {
    float down = number_round_down(value);
    assert_true((double)down <= value);
    if (down != INFINITY)
        assert_true((double)nextafterf(down, INFINITY) > value);
}

static void doubles_are_rounded_down(void **state) {
    (void)state;
    static const double values[] = {0,      0.1,   -0.1,      1e-60,     -1e-60,    1e300,
                                    -1e300, 1e-40, -1e-40,    FLT_MAX,   1,         INFINITY,
                                    0.5,    1e38,  -INFINITY, 16777217., -16777217.};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_round_down(values[i]);
    assert_true(isnan(number_round_down((double)NAN)));
}

static void check_below(float t) {
    const float around[] = {
        t, nextafterf(t, -INFINITY), nextafterf(t, INFINITY), -INFINITY, INFINITY, 0, -0.f};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        assert_int_equal(around[i] < t, around[i] <= number_below(t));
}

static void less_than_is_at_most_below(void **state) {
    (void)state;
    static const float values[] = {0,       -0.f,    1,        -1,       1e-45f,    -1e-45f,
                                   FLT_MIN, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, 0.1f};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_below(values[i]);
}

/* --- writing ---------------------------------------------------------------------------------- */
static void check_text(double value, const char *as_float, const char *as_double) {
    char text[NUMBER_TEXT_SIZE];
    number_format_float((float)value, text);
    assert_string_equal(text, as_float);
    number_format_double(value, text);
    assert_string_equal(text, as_double);
}

static void the_shortest_text_is_written(void **state) {
    (void)state;
    check_text(0, "0", "0");
    check_text(-0., "-0", "-0");
    check_text(0.1, "0.1", "0.1");
    check_text(100, "100", "100");
    check_text(123456, "123456", "123456");
    check_text(16777216, "16777216", "16777216");
    check_text(1e-5, "1e-05", "1e-05");
    check_text(1. / 3, "0.33333334", "0.3333333333333333");
    check_text(1e30, "1e+30", "1e+30");
    check_text(-2.5, "-2.5", "-2.5");
    check_text(0x1p-149, "1e-45", "1.401298464324817e-45");
    check_text((double)-INFINITY, "-inf", "-inf");
}

static void written_floats_read_back(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < 20000; i++) {
        char text[NUMBER_TEXT_SIZE];
        float value = any_float(&random), read = 0;
        number_format_float(value, text);
        assert_int_equal(parse_float(text, &read), (int)strlen(text));
        assert_int_equal(bits_of_float(read), bits_of_float(value));
        double wide = (double)value * random_double(&random), wide_read = 0;
        number_format_double(wide, text);
        assert_int_equal(parse_double(text, &wide_read), (int)strlen(text));
        assert_true(bits_of_double(wide_read) == bits_of_double(wide));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_rounded_like_the_library),
        cmocka_unit_test(halfway_points_are_rounded_to_even),
        cmocka_unit_test(very_long_digit_strings_are_right),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(the_longest_number_is_taken),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(integers),
        cmocka_unit_test(doubles_are_rounded_down),
        cmocka_unit_test(less_than_is_at_most_below),
        cmocka_unit_test(the_shortest_text_is_written),
        cmocka_unit_test(written_floats_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
