#include "base/files/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static cJSON *parse(const char *text) {
    cJSON *value;
    assert_int_equal(json_parse("f.json", text, strlen(text), &value, NULL), STATUS_OK);
    return value;
}

static void assert_error(const struct error *error, const char *begin) {
    if (strncmp(error->text, begin, strlen(begin)) != 0)
        fail_msg("'%s' should begin with '%s'", error->text, begin);
}

static void bad_texts_are_refused_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "f.json:1: the file is empty"},
        {" \n\t\n", "f.json:1: the file is empty"},
        {"{\"a\":1,\n\"b\":}", "f.json:2: not valid JSON"},
        {"[1,\n2\n,]", "f.json:3: not valid JSON"},
        {"[1", "f.json:1: not valid JSON: the file ends too early"},
        {"{\"a\":[1,\n2],\n\"b", "f.json:3: not valid JSON: the file ends too early"},
        {"{\"a\":[1,2}", "f.json:1: not valid JSON: the file ends too early"},
        {"[\"\\\"[\" x]", "f.json:1: not valid JSON, or nested"},
        {"[1 2,\n3", "f.json:1: not valid JSON, or nested"},
        {"{'a':1}", "f.json:1: not valid JSON"},
        {"[1]\n\n x", "f.json:3: unexpected text after"},
        {"1 2", "f.json:1: unexpected text after"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "f.json: a: duplicate key"},
        {"[{\"x\":[{\"k\":1,\"k\":1}]}]", "f.json: k: duplicate key"},
        {"{\"a\\n\\u001b\":1,\"a\\n\\u001b\":2}", "f.json: a??: duplicate key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *value;
        struct error error;
        assert_int_equal(json_parse("f.json", cases[i].text, strlen(cases[i].text), &value, &error),
                         STATUS_INPUT);
        assert_null(value);
        assert_error(&error, cases[i].error);
    }
    cJSON *value;
    struct error error;
    assert_int_equal(json_parse("f.json", "[1,\n\0 2]", 8, &value, &error), STATUS_INPUT);
    assert_error(&error, "f.json:2: unexpected NUL byte");
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 100 * 1000 };
    char *text = malloc(DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    cJSON *value;
    assert_int_equal(json_parse("f.json", text, DEPTH, &value, NULL), STATUS_INPUT);
    free(text);
}

/* The text needs no NUL after it; AddressSanitizer would detect the read. */
static void the_size_is_respected(void **state) {
    (void)state;
    char *text = malloc(3);
    assert_non_null(text);
    memcpy(text, "[1]", 3);
    cJSON *value;
    assert_int_equal(json_parse("f.json", text, 3, &value, NULL), STATUS_OK);
    cJSON_Delete(value);
    free(text);
}

static void members_are_read(void **state) {
    (void)state;
    cJSON *object = parse("{\"s\":\"text\",\"n\":-2.5,\"u\":4294967295,\"a\":[1],\"o\":{}}");
    const char *string = NULL;
    double number = 0;
    uint32_t integer = 0;
    const cJSON *child = NULL;
    assert_int_equal(json_get_string("f", object, "s", &string, NULL), STATUS_OK);
    assert_string_equal(string, "text");
    assert_int_equal(json_get_number("f", object, "n", -3, 3, &number, NULL), STATUS_OK);
    assert_true(number == -2.5);
    assert_int_equal(json_get_u32("f", object, "u", 0, UINT32_MAX, &integer, NULL), STATUS_OK);
    assert_int_equal(integer, UINT32_MAX);
    assert_int_equal(json_get_array("f", object, "a", &child, NULL), STATUS_OK);
    assert_true(cJSON_IsArray(child));
    assert_int_equal(json_get_object("f", object, "o", &child, NULL), STATUS_OK);
    assert_true(cJSON_IsObject(child));
    cJSON_Delete(object);
}

static void wrong_members_are_refused_with_their_key(void **state) {
    (void)state;
    cJSON *object = parse("{\"s\":1,\"n\":\"2\",\"big\":5000000000,\"half\":1.5,\"inf\":1e999}");
    const char *string = NULL;
    double number;
    uint32_t integer;
    const cJSON *child;
    struct error error;
    assert_int_equal(json_get_string("f", object, "s", &string, &error), STATUS_INPUT);
    assert_error(&error, "f: s: expected a string");
    assert_int_equal(json_get_string("f", object, "S", &string, &error), STATUS_INPUT);
    assert_error(&error, "f: S: missing");
    assert_int_equal(json_get_number("f", object, "n", 0, 9, &number, &error), STATUS_INPUT);
    assert_error(&error, "f: n: expected a number");
    assert_int_equal(json_get_number("f", object, "inf", 0, 1e300, &number, &error), STATUS_INPUT);
    assert_error(&error, "f: inf: inf is out of range");
    assert_int_equal(json_get_u32("f", object, "big", 0, UINT32_MAX, &integer, &error),
                     STATUS_INPUT);
    assert_error(&error, "f: big: 5000000000 is out of range (0 to 4294967295)");
    assert_int_equal(json_get_u32("f", object, "half", 0, 9, &integer, &error), STATUS_INPUT);
    assert_error(&error, "f: half: 1.5 is not an integer");
    assert_int_equal(json_get_array("f", object, "s", &child, &error), STATUS_INPUT);
    assert_int_equal(json_get_object("f", object, "s", &child, &error), STATUS_INPUT);
    cJSON_Delete(object);
}

/* Elements of an array have no keys. */
static void keys_of_anything_but_an_object_are_refused(void **state) {
    (void)state;
    static const char *const allowed[] = {"a", NULL};
    static const char *const texts[] = {"[\"\"]", "[[\"\"]]", "[1]", "\"a\"", "1", "null"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error error;
        cJSON *value = parse(texts[i]);
        assert_int_equal(json_check_keys("f", value, allowed, "a page", &error), STATUS_INPUT);
        assert_error(&error, "f: expected an object; see a page");
        cJSON_Delete(value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_texts_are_refused_with_their_line),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(the_size_is_respected),
        cmocka_unit_test(members_are_read),
        cmocka_unit_test(wrong_members_are_refused_with_their_key),
        cmocka_unit_test(keys_of_anything_but_an_object_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
