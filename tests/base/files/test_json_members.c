/* JSON by tables of members. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/json_members.h"

struct point {
    struct json_reader json;
    bool flag, bit, has_u32;
    uint32_t u32, word;
    int32_t i32;
    uint64_t u64;
    float real;
    double number;
    struct json_token text;
    struct memory_list u32s, integers, floats, doubles;
    struct json_place later;
    size_t n_items;
};

#define AT(member) .offset = offsetof(struct point, member)

static enum status read_item(void *data) {
    static const struct json_member members[] = {JSON_REQUIRED(U32, "u32", AT(u32)),
                                                 JSON_SKIP_OTHERS};
    struct point *point = data;
    point->n_items++;
    return json_read_members(&point->json, "", members, point);
}

static enum status count_token(void *data, const struct json_member *member,
                               const struct json_token *token) {
    struct point *point = data;
    assert_true(strcmp(member->name, "taken") == 0 || strcmp(member->name, "parsed") == 0 ||
                strcmp(member->name, "tokens") == 0);
    point->n_items += token->kind == JSON_STRING ? 10 : 1;
    return STATUS_OK;
}

static enum status read_twice(void *data, const struct json_member *member) {
    struct point *point = data;
    enum status status = json_read_member(
        &point->json, &(struct json_member)JSON_OPTIONAL(U32, member->name, AT(u32)), data);
    point->u32 *= 2;
    return status;
}

static const char *const words[] = {"None", "Zero", "NaN", NULL};
static const struct json_member inner[] = {JSON_REQUIRED(I32, "x", AT(i32)), JSON_REFUSE_OTHERS};
static const struct json_member all[] = {
    JSON_OPTIONAL(BOOL, "flag", AT(flag)),
    JSON_OPTIONAL(BIT, "bit", AT(bit)),
    JSON_OPTIONAL(U32, "u32", AT(u32), .has = offsetof(struct point, has_u32)),
    JSON_OPTIONAL(U32, "digit", AT(u32), .low = 1, .high = 9),
    JSON_OPTIONAL(I32, "i32", AT(i32)),
    JSON_OPTIONAL(U64, "u64", AT(u64)),
    JSON_OPTIONAL(FLOAT, "real", AT(real)),
    JSON_OPTIONAL(DOUBLE, "number", AT(number)),
    JSON_OPTIONAL(TEXT, "text", AT(text)),
    JSON_OPTIONAL(WORD, "word", AT(word), .words = words),
    JSON_OPTIONAL(U32S, "u32s", AT(u32s), .or_null = true),
    JSON_OPTIONAL(INTEGERS, "integers", AT(integers), .low = -1, .high = 1),
    JSON_OPTIONAL(FLOATS, "floats", AT(floats)),
    JSON_OPTIONAL(DOUBLES, "doubles", AT(doubles)),
    JSON_OPTIONAL(OBJECT, "inner", .members = inner),
    JSON_OPTIONAL(OBJECTS, "items", .each = read_item),
    JSON_OPTIONAL(TAKEN, "taken", .take = count_token),
    JSON_OPTIONAL(PARSED, "parsed", .take = count_token),
    JSON_OPTIONAL(ITEMS, "tokens", .take = count_token),
    JSON_OPTIONAL(READ, "twice", .read = read_twice),
    JSON_OPTIONAL(LATER, "later", AT(later)),
    JSON_SKIPPED("skipped"),
    JSON_REFUSE_OTHERS};

static enum status read_point(const char *text, const struct json_member *members,
                              struct point *point, struct error *error) {
    *point = (struct point){.u32 = 7};
    json_reader_open(&point->json, "n", text, strlen(text), error);
    point->json.has_fractions = true;
    return json_read_root(&point->json, members, point);
}

static void free_point(struct point *point) {
    free(point->u32s.values);
    free(point->integers.values);
    free(point->floats.values);
    free(point->doubles.values);
}

static void every_type_is_read(void **state) {
    (void)state;
    static const char text[] =
        "{\"flag\": true, \"bit\": 1, \"u32\": 4294967295, \"i32\": -2147483648,\n"
        "\"u64\": 9223372036854775807, \"real\": 0.1, \"number\": 0.1, \"text\": \"a b\",\n"
        "\"word\": \"Zero\", \"u32s\": [0, 5.0], \"integers\": [-1, 1], \"floats\": [1e99, 2],\n"
        "\"doubles\": [1e99], \"skipped\": [{}], \"later\": [[1], 2]}";
    struct point point;
    struct error error = {""};
    struct json_token token;
    if (read_point(text, all, &point, &error))
        fail_msg("%s", error.text);
    assert_true(point.flag && point.bit && point.has_u32);
    assert_true(point.u32 == UINT32_MAX && point.i32 == INT32_MIN && point.u64 == INT64_MAX);
    assert_true(point.real == 0.1F && point.number == 0.1);
    assert_true(json_token_is(&point.text, "a b") && point.word == 1);
    assert_true(point.u32s.count == 2 && point.u32s.u32[1] == 5);
    assert_true(point.integers.count == 2 && point.integers.integer[0] == -1);
    assert_true(point.floats.count == 2 && isinf(point.floats.real[0]));
    assert_true(point.doubles.count == 1 && point.doubles.number[0] == 1e99);
    json_stream_go(&point.json.stream, &point.later);
    assert_int_equal(json_begin(&point.json, "later", JSON_ARRAY), STATUS_OK);
    assert_int_equal(json_begin(&point.json, "later", JSON_ARRAY), STATUS_OK);
    assert_int_equal(json_read_token(&point.json, &token), STATUS_OK);
    assert_true(token.kind == JSON_NUMBER && token.integer == 1 && point.json.stream.line == 4);
    free_point(&point);
}

static void objects_and_functions_are_read(void **state) {
    (void)state;
    struct point point;
    assert_int_equal(read_point("{\"inner\": {\"x\": -3}, \"u32s\": null, \"twice\": 4,"
                                " \"items\": []}",
                                all, &point, NULL),
                     STATUS_OK);
    assert_true(point.i32 == -3 && point.u32s.count == 0 && point.u32 == 8 && !point.has_u32);
    assert_int_equal(
        read_point("{\"items\": [{\"u32\": 1}, {\"u32\": 2, \"v\": []}]}", all, &point, NULL),
        STATUS_OK);
    assert_true(point.n_items == 2 && point.u32 == 2);
    assert_int_equal(
        read_point("{\"taken\": null, \"parsed\": \"a\", \"tokens\": [null, null, \"b\"]}", all,
                   &point, NULL),
        STATUS_OK);
    assert_int_equal(point.n_items, 23);
}

static void errors_name_the_key(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"[]", "n:1: expected a JSON object"},
        {"{} 1", "n:1: not well-formed JSON: expected the end of the file"},
        {"{\"flag\": 1}", "n:1: flag: expected true or false"},
        {"{\"bit\": 2}", "n:1: bit: expected 0 or 1"},
        {"{\"bit\": true}", "n:1: bit: expected 0 or 1"},
        {"{\"u32\": 4294967296}", "n:1: u32: expected an integer from 0 to 4294967295"},
        {"{\"u32\": 1.5}", "n:1: u32: expected an integer from 0 to 4294967295"},
        {"{\"u32\": \"1\"}", "n:1: u32: expected an integer from 0 to 4294967295"},
        {"{\"digit\": 0}", "n:1: digit: expected an integer from 1 to 9"},
        {"{\"i32\": 2147483648}", "n:1: i32: expected an integer from -2147483648 to 2147483647"},
        {"{\"u64\": -1}", "n:1: u64: expected an integer from 0 to 9223372036854775807"},
        {"{\"real\": 1e39}", "n:1: real: expected a number in the range of float32"},
        {"{\"number\": 1e309}", "n:1: number: expected a finite number"},
        {"{\"text\": 1}", "n:1: text: expected a string"},
        {"{\"word\": 1}", "n:1: word: expected \"None\", \"Zero\" or \"NaN\""},
        {"{\"word\": \"no\"}", "n:1: word: expected \"None\", \"Zero\" or \"NaN\", found \"no\""},
        {"{\"u32s\": 1}", "n:1: u32s: expected an array"},
        {"{\"floats\": null}", "n:1: floats: expected an array"},
        {"{\"u32s\": [1,\nnull]}", "n:2: u32s: entry 2: expected an integer from 0 to 4294967295"},
        {"{\"integers\": [2]}", "n:1: integers: entry 1: expected an integer from -1 to 1"},
        {"{\"floats\": [\"1\"]}", "n:1: floats: entry 1: expected a number"},
        {"{\"doubles\": [1e309]}", "n:1: doubles: entry 1: expected a finite number"},
        {"{\"inner\": 1}", "n:1: inner: expected an object"},
        {"{\"inner\": {}}", "n:1: inner: x: missing key"},
        {"{\"inner\": {\"y\": 1}}", "n:1: inner: y: unknown key, which may change the scores"},
        {"{\"items\": [1]}", "n:1: items: expected an array of objects"},
        {"{\"items\": [{}]}", "n:1: u32: missing key"},
        {"{\"parsed\": 1}", "n:1: parsed: expected a string"},
        {"{\"tokens\": {}}", "n:1: tokens: expected an array"},
        {"{\"u32\": 1, \"u32\": 1}", "n:1: u32: duplicate key in an object"},
        {"{\"z\": 1}", "n:1: z: unknown key, which may change the scores"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point;
        struct error error = {""};
        assert_int_equal(read_point(cases[i][0], all, &point, &error), STATUS_INPUT);
        if (strncmp(error.text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, cases[i][1]);
        free_point(&point);
    }
}

static void errors_name_the_part(void **state) {
    (void)state;
    struct json_reader reader;
    struct error error, reason = {"too much"};
    json_reader_open(&reader, "n", "", 0, &error);
    reader.part = (struct json_part){"tree", 3};
    assert_int_equal(json_wrong(&reader, "x", "y"), STATUS_INPUT);
    assert_string_equal(error.text, "n:1: tree 3: x: expected y");
    reader.inner = (struct json_part){"node", 5};
    assert_int_equal(json_locate(&reader, STATUS_UNSUPPORTED, "x: ", &reason), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "n:1: tree 3, node 5: x: too much");
    assert_int_equal(json_locate(&reader, STATUS_OK, "x: ", &reason), STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(objects_and_functions_are_read),
        cmocka_unit_test(errors_name_the_key),
        cmocka_unit_test(errors_name_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
