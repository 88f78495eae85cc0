#include "base/files/json.h"
#include "base/files/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum colour { RED, GREEN };
static const char *const colours[] = {"red", "green", NULL};

struct size {
    double width;
};

struct thing {
    char name[8];
    const char *text;
    uint32_t small;
    uint64_t large;
    size_t count, known;
    int level;
    double cost, limits[2];
    bool ready;
    enum colour colour;
    struct size size;
    uint32_t late;
};

static const struct record_field size_fields[] = {
    FIELD(struct size, REAL, "width", width, .help = "of it", .unit = "mm")};
static const struct record size_record = {.fields = size_fields, .n_fields = FIELDS(size_fields)};

static bool is_green(const void *data) {
    return ((const struct thing *)data)->colour == GREEN;
}

#define THING(KIND, NAME, ...) FIELD(struct thing, KIND, #NAME, NAME, .help = "a", __VA_ARGS__)
static const struct record_field fields[] = {THING(TEXT, name, .unit = NULL),
                                             THING(U32, small, .low = 1, .high = 9),
                                             THING(U64, large, .unit = NULL),
                                             THING(COUNT, count, .unit = NULL),
                                             THING(REAL, cost, .unit = "ns"),
                                             THING(BOOL, ready, .unit = NULL),
                                             THING(CHOICE, colour, .names = colours),
                                             THING(OBJECT, size, .record = &size_record),
                                             THING(U32, late, .since = 2, .applies = is_green)};
static const struct record record = {.what = "a thing",
                                     .fields = fields,
                                     .n_fields = FIELDS(fields),
                                     .schema = 2,
                                     .oldest = 1,
                                     .docs = "docs/rows.md"};

static const struct thing thing = {.name = "a,b",
                                   .small = 3,
                                   .large = UINT64_MAX,
                                   .count = 1u << 30,
                                   .cost = 0.1 + 0.2,
                                   .ready = true,
                                   .colour = GREEN,
                                   .size = {2.5},
                                   .late = 7};
static const char text_of_thing[] =
    "{\"schema\":2,\"name\":\"a,b\",\"small\":3,\"large\":\"18446744073709551615\","
    "\"count\":1073741824,\"cost\":0.30000000000000004,\"ready\":true,\"colour\":\"green\","
    "\"size\":{\"width\":2.5},\"late\":7}";

static void is_written_as_declared(void **state) {
    (void)state;
    cJSON *json = record_to_json(&record, &thing);
    char *text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, text_of_thing);
    cJSON_free(text);
    cJSON_Delete(json);
}

static enum status read(const char *text, struct thing *into, struct error *error) {
    cJSON *json;
    assert_int_equal(json_parse("t", text, strlen(text), &json, error), STATUS_OK);
    enum status status = record_from_json("t", &record, json, into, error);
    cJSON_Delete(json);
    return status;
}

static void is_read_as_written(void **state) {
    (void)state;
    struct thing into = {.name = ""};
    struct error error;
    assert_int_equal(read(text_of_thing, &into, &error), STATUS_OK);
    assert_string_equal(into.name, thing.name);
    assert_int_equal(into.small, 3);
    assert_true(into.large == UINT64_MAX && into.count == thing.count);
    assert_true(into.cost == thing.cost && into.size.width == 2.5);
    assert_true(into.ready && into.colour == GREEN && into.late == 7);
}

static void older_schemas_lack_later_fields(void **state) {
    (void)state;
    struct thing into = {.late = 5};
    struct error error;
    assert_int_equal(read("{\"schema\":1,\"name\":\"n\",\"small\":1,\"large\":\"0\",\"count\":0,"
                          "\"cost\":null,\"ready\":false,\"colour\":\"green\","
                          "\"size\":{\"width\":1}}",
                          &into, &error),
                     STATUS_OK);
    assert_true(isnan(into.cost) && into.late == 5);
}

/* Replaces a part of the thing's text and expects this error. */
static void refuses(const char *part, const char *by, const char *message) {
    char text[512];
    const char *at = strstr(text_of_thing, part);
    struct thing into;
    struct error error;
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - text_of_thing), text_of_thing, by,
             at + strlen(part));
    assert_int_equal(read(text, &into, &error), STATUS_INPUT);
    if (!strstr(error.text, message))
        fail_msg("%s: '%s' lacks '%s'", by, error.text, message);
}

static void wrong_values_are_refused(void **state) {
    (void)state;
    refuses("\"schema\":2", "\"schema\":3", "t: schema 3 is not supported");
    refuses("\"schema\":2", "\"scheme\":2", "t: not a thing");
    refuses("a,b", "12345678", "t: name: longer than 7 bytes");
    refuses("\"small\":3", "\"small\":10", "t: small: 10 is out of range (1 to 9)");
    refuses("\"small\":3", "\"small\":1.5", "t: small: 1.5 is not an integer");
    refuses("\"18446744073709551615\"", "\"18446744073709551616\"", "t: large: ");
    refuses("\"18446744073709551615\"", "\" 1\"", "t: large: ");
    refuses("1073741824", "0.5", "t: count: 0.5 is not an integer");
    refuses("1073741824", "-1", "t: count: ");
    refuses("true", "1", "t: ready: expected true or false");
    refuses("green", "blue", "t: colour: \"blue\" is not red or green");
    refuses("\"colour\":\"green\"", "\"colour\":\"red\"", "t: late: does not apply here");
    refuses("{\"width\":2.5}", "{}", "t: size: width: ");
    refuses("\"late\":7", "\"later\":7", "t: later: unknown key. Did you mean late?");
    refuses(",\"late\":7", "", "t: late: missing");
}

static void csv_has_a_column_for_each_field(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    record_csv_header(&record, stream);
    fputc('\n', stream);
    record_csv(&record, &thing, stream);
    fclose(stream);
    assert_string_equal(text, "name,small,large,count,cost,ready,colour,width,late\n"
                              "\"a,b\",3,18446744073709551615,1073741824,0.30000000000000004,true,"
                              "green,2.5,7");
    free(text);
}

static void what_can_only_be_written(void **state) {
    (void)state;
    static const struct record_field written[] = {
        THING(STRING, text, .unit = NULL), THING(COUNT, known, .zero_is_unknown = true),
        THING(REALS, limits, .unit = NULL), THING(INT, level, .low = -1),
        THING(NUMBER, cost, .decimals = 2)};
    const struct record only = {.fields = written, .n_fields = FIELDS(written)};
    struct thing some = {
        .text = "t", .known = 4, .limits = {1, INFINITY}, .level = -1, .cost = 0.126};
    cJSON *json = record_to_json(&only, &some);
    char *text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, "{\"text\":\"t\",\"known\":4,\"limits\":[1,null],\"level\":-1,"
                              "\"cost\":0.13}");
    cJSON_free(text);
    cJSON_Delete(json);
    json = record_to_json(&only, &(struct thing){.level = -2, .cost = NAN});
    text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, "{\"text\":null,\"known\":null,\"limits\":[0,0],\"level\":null,"
                              "\"cost\":null}");
    cJSON_free(text);
    cJSON_Delete(json);
}

/* A file that people write: optional keys, texts from a list, keys that the caller reads. */
static void what_people_write(void **state) {
    (void)state;
    static const struct record_field of_files[] = {
        THING(TEXT, name, .names = colours), THING(STRING, text, .is_optional = true),
        THING(CHOICE, colour, .names = colours, .is_optional = true),
        THING(U32, late, .is_optional = true, .applies = is_green, .refusal = "only green has it"),
        KEY("below", .help = "a")};
    const struct record file = {.fields = of_files, .n_fields = FIELDS(of_files), .docs = "d.md"};
    static const struct {
        const char *text, *message;
    } cases[] = {{"{\"name\":\"red\",\"below\":[]}", ""},
                 {"{\"name\":\"red\",\"text\":\"t\",\"late\":3}", ""},
                 {"{\"name\":\"blue\"}", "t: name: \"blue\" is not red or green"},
                 {"{\"name\":\"red\",\"text\":1}", "t: text: "},
                 {"{\"name\":\"red\",\"colour\":\"red\",\"late\":3}", "late: only green has it"},
                 {"{\"name\":\"red\",\"above\":1}", "t: above: unknown key"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing into = {.colour = GREEN, .late = 5};
        struct error error = {""};
        cJSON *json;
        assert_int_equal(json_parse("t", cases[i].text, strlen(cases[i].text), &json, NULL),
                         STATUS_OK);
        record_from_json("t", &file, json, &into, &error);
        if (*cases[i].message ? !strstr(error.text, cases[i].message) : *error.text != '\0')
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_int_equal(into.late, i == 1 ? 3 : 5);
        if (i == 1)
            assert_string_equal(into.text, "t");
        cJSON_Delete(json);
    }
}

static cJSON *words_to_json(const void *member) {
    return cJSON_CreateString(member);
}

static enum status words_from_json(const char *name, const char *key, const cJSON *json,
                                   void *member, struct error *error) {
    (void)name, (void)key, (void)json, (void)error;
    memcpy(member, "read", 5);
    return STATUS_OK;
}

/* Optional members that are zeros are left out; forms of objects are read from nothing else. */
static void what_is_optional_or_limited(void **state) {
    (void)state;
    static const struct record_form form = {"object", words_to_json, words_from_json, NULL, NULL};
    static const struct record_field of_lists[] = {
        THING(U32, late, .is_optional = true), THING(NUMBER, cost, .high = 1),
        THING(TEXT, name, .high = 2, .is_optional = true),
        WHOLE(FORM, "form", .form = &form, .help = "b", .refusal = "never")};
    const struct record listed = {.fields = of_lists, .n_fields = FIELDS(of_lists), .docs = "d"};
    const struct thing things[] = {{.name = "a", .cost = 1 / 3.0}, {.name = "", .late = 2}};
    cJSON *json = record_list(&listed, things, 2, sizeof *things);
    char *text = cJSON_PrintUnformatted(json);
    assert_string_equal(text, "[{\"cost\":0.33333333333333331,\"name\":\"a\",\"form\":\"a\"},"
                              "{\"late\":2,\"cost\":0,\"form\":\"\"}]");
    cJSON_free(text);
    cJSON_Delete(json);
    static const struct {
        const char *text, *message;
    } cases[] = {{"{\"cost\":1,\"name\":\"ab\",\"form\":{}}", ""},
                 {"{\"cost\":1,\"name\":\"abc\",\"form\":{}}", "t: name: longer than 2 bytes"},
                 {"{\"cost\":2,\"form\":{}}", "t: cost: 2 is out of range (0 to 1)"},
                 {"{\"cost\":1,\"form\":3}", "t: form: "},
                 {"{\"cost\":1}", "t: form: missing"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing into = {.name = ""};
        struct error error = {""};
        assert_int_equal(json_parse("t", cases[i].text, strlen(cases[i].text), &json, NULL),
                         STATUS_OK);
        record_from_json("t", &listed, json, &into, &error);
        if (*cases[i].message ? !strstr(error.text, cases[i].message) : *error.text != '\0')
            fail_msg("%s: %s", cases[i].text, error.text);
        cJSON_Delete(json);
    }
}

static void documentation_is_a_table(void **state) {
    (void)state;
    static const struct record_field of_docs[] = {
        THING(REAL, cost, .unit = "ns"),
        THING(U32, late, .applies = is_green, .refusal = "only green has it")};
    const struct record documented = {
        .fields = of_docs, .n_fields = FIELDS(of_docs), .schema = 3, .oldest = 3};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    record_write_docs(&documented, stream);
    fclose(stream);
    assert_string_equal(text, "| key | type | meaning |\n|---|---|---|\n| `schema` | number | 3 |\n"
                              "| `cost` | number | a, in ns |\n"
                              "| `late` | number | a; only green has it |\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_written_as_declared),
        cmocka_unit_test(is_read_as_written),
        cmocka_unit_test(older_schemas_lack_later_fields),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(csv_has_a_column_for_each_field),
        cmocka_unit_test(what_can_only_be_written),
        cmocka_unit_test(what_people_write),
        cmocka_unit_test(what_is_optional_or_limited),
        cmocka_unit_test(documentation_is_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
