/* Streaming JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/json_stream.h"

/* Reads a text into one letter per token. */
static enum status tokens_of(const char *json, char *letters, struct error *error) {
    static const char of_kind[] = "$<>()ks0tfz";
    char *copy = malloc(strlen(json) + 1); /* exactly `size` bytes, without the NUL */
    struct json_stream stream;
    struct json_token token = {.kind = JSON_NULL};
    enum status status = STATUS_OK;
    assert_non_null(copy);
    memcpy(copy, json, strlen(json));
    json_stream_open_text(&stream, "name", copy, strlen(json));
    while (!status && token.kind != JSON_END) {
        status = json_stream_next(&stream, &token, error);
        *letters++ = of_kind[token.kind];
    }
    *letters = '\0';
    free(copy);
    return status;
}

static void test_tokens(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"1", "0$"},
        {" \"a\" ", "s$"},
        {"{}", "<>$"},
        {"[ ]\n", "()$"},
        {"[1, [2], {\"a\" : [true,false,null]}, \"b\"]", "(0(0)<k(tfz)>s)$"},
        {"{\"a\":{\"b\":[{}]},\"c\":\"\\\"\\u00e4\\\\\"}", "<k<k(<>)>ks>$"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char letters[64];
        assert_int_equal(tokens_of(cases[i][0], letters, NULL), STATUS_OK);
        assert_string_equal(letters, cases[i][1]);
    }
}

static struct json_token single(const char *json) {
    struct json_stream stream;
    struct json_token token;
    json_stream_open_text(&stream, "name", json, strlen(json));
    assert_int_equal(json_stream_next(&stream, &token, NULL), STATUS_OK);
    return token;
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_integer;
        int64_t integer;
        float real;
    } cases[] = {
        {"0", true, 0, 0},
        {"-0", true, 0, -0.0F},
        {"-12", true, -12, -12},
        {"9223372036854775807", true, INT64_MAX, 0x1p63F},
        {"9223372036854775808", false, 0, 0x1p63F},
        {"16777217", true, 16777217, 16777216},
        {"0.1", false, 0, 0.1F},
        {"-6.22362E-1", false, 0, -0.622362F},
        {"1e0", false, 0, 1},
        {"1e99", false, 0, INFINITY},
        {"-1e99", false, 0, -INFINITY},
        {"Infinity", false, 0, INFINITY},
        {"-Infinity", false, 0, -INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_token token = single(cases[i].text);
        assert_int_equal(token.kind, JSON_NUMBER);
        assert_int_equal(token.is_integer, cases[i].is_integer);
        assert_true(!token.is_integer || token.integer == cases[i].integer);
        assert_true(token.real == cases[i].real);
        assert_int_equal(signbit(token.real), signbit(cases[i].real));
    }
    assert_true(isnan(single("NaN").real));
}

static void test_doubles(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},     {"-0", -0.0},     {"-12", -12},
        {"0.1", 0.1}, {"1e308", 1e308}, {"9007199254740993", 9007199254740992.0},
    };
    static const char *const none[] = {"NaN", "Infinity", "1e309", "true", "\"1\"", "[]"};
    double value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_token token = single(cases[i].text);
        assert_true(json_token_double(&token, &value));
        assert_memory_equal(&value, &cases[i].value, sizeof value);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct json_token token = single(none[i]);
        assert_false(json_token_double(&token, &value));
    }
}

static void test_strings(void **state) {
    (void)state;
    struct json_token token = single("\"learner\"");
    assert_true(json_token_is(&token, "learner"));
    assert_false(json_token_is(&token, "learn"));
    assert_false(json_token_is(&token, "learners"));
    token = single("1");
    assert_false(json_token_is(&token, "1"));
}

static void test_skip(void **state) {
    (void)state;
    static const char json[] = "{\"a\": [[1, {}], \"]\"], \"b\": 7, \"c\": 8}";
    struct json_stream stream;
    struct json_token token;
    json_stream_open_text(&stream, "name", json, strlen(json));
    assert_int_equal(json_stream_next(&stream, &token, NULL), STATUS_OK);
    for (const char *key = "abc"; *key; key++) {
        assert_int_equal(json_stream_next(&stream, &token, NULL), STATUS_OK);
        assert_int_equal(token.text[0], *key);
        if (*key != 'c')
            assert_int_equal(json_stream_skip(&stream, NULL), STATUS_OK);
    }
    assert_int_equal(json_stream_next(&stream, &token, NULL), STATUS_OK);
    assert_true(token.integer == 8);
}

static void test_bad_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "name:1: not well-formed JSON: the file ends too early; expected a value"},
        {"\n{", "name:2: not well-formed JSON: the file ends too early; expected a key in quotes"},
        {"[1", "name:1: not well-formed JSON: the file ends too early; expected ',' or ']'"},
        {"[1 2]", "name:1: not well-formed JSON: expected ',' or ']', found '2'"},
        {"[1}", "name:1: not well-formed JSON: expected ',' or ']', found '}'"},
        {"[1,]", "name:1: not well-formed JSON: expected a value, found ']'"},
        {"[,1]", "name:1: not well-formed JSON: expected a value, found ','"},
        {"{1:2}", "name:1: not well-formed JSON: expected a key"},
        {"{\"a\" 2}", "name:1: not well-formed JSON: expected ':', found '2'"},
        {"{\"a\": 2,\n}", "name:2: not well-formed JSON: expected a key"},
        {"{\"a\": 2\n\"b\": 3}", "name:2: not well-formed JSON: expected ',' or '}', found '\"'"},
        {"1 1", "name:1: not well-formed JSON: expected the end of the file, found '1'"},
        {"]", "name:1: not well-formed JSON: expected a value, found ']'"},
        {"tru", "name:1: not well-formed JSON: expected a value, found 't'"},
        {"\"a", "name:1: not well-formed JSON: the file ends inside a string"},
        {"\"\t\"", "name:1: not well-formed JSON: control character in a string"},
        {"\"\\x\"", "name:1: not well-formed JSON: invalid escape in a string"},
        {"\"\\u12", "name:1: not well-formed JSON: invalid escape in a string"},
        {"\"\\", "name:1: not well-formed JSON: invalid escape in a string"},
        {"01", "name:1: not well-formed JSON: expected a value, found '0'"},
        {"-", "name:1: not well-formed JSON: expected a value, found '-'"},
        {"1.", "name:1: not well-formed JSON: expected a value, found '1'"},
        {"1e", "name:1: not well-formed JSON: expected a value, found '1'"},
        {".5", "name:1: not well-formed JSON: expected a value, found '.'"},
        {"+1", "name:1: not well-formed JSON: expected a value, found '+'"},
        {"\377", "name:1: not well-formed JSON: expected a value, found byte 0xff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char letters[64];
        struct error error = {""};
        assert_int_equal(tokens_of(cases[i][0], letters, &error), STATUS_INPUT);
        if (strncmp(error.text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, cases[i][1]);
    }
}

static void test_depth(void **state) {
    (void)state;
    char json[2 * JSON_STREAM_MAX_DEPTH + 3], letters[2 * sizeof json];
    struct error error;
    memset(json, '[', sizeof json);
    memset(json + JSON_STREAM_MAX_DEPTH, ']', JSON_STREAM_MAX_DEPTH);
    json[2 * JSON_STREAM_MAX_DEPTH] = '\0';
    assert_int_equal(tokens_of(json, letters, &error), STATUS_OK);
    json[JSON_STREAM_MAX_DEPTH] = '[';
    assert_int_equal(tokens_of(json, letters, &error), STATUS_INPUT);
    assert_string_equal(error.text, "name:1: nested deeper than 512 arrays and objects");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_doubles), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_skip),    cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
