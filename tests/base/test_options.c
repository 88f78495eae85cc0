#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void names_and_options_are_taken_apart(void **state) {
    (void)state;
    struct options options;
    char name[OPTION_TEXT_SIZE], text[64];
    assert_int_equal(options_parse("vpred,v=8,block=64", name, &options, NULL), STATUS_OK);
    assert_string_equal(name, "vpred");
    assert_int_equal(options.count, 2);
    assert_string_equal(options_get(&options, "v"), "8");
    assert_string_equal(options_get(&options, "block"), "64");
    assert_null(options_get(&options, "w"));
    assert_null(options_get(NULL, "v"));
    options_format(&options, text, sizeof text);
    assert_string_equal(text, "block=64,v=8"); /* sorted */
    options_format(&options, text, 8);
    assert_string_equal(text, "block=6");

    assert_int_equal(options_parse("pred", name, &options, NULL), STATUS_OK);
    options_format(&options, text, sizeof text);
    assert_string_equal(text, "");
}

static void the_order_does_not_matter(void **state) {
    (void)state;
    struct options a, b;
    char name[OPTION_TEXT_SIZE];
    assert_int_equal(options_parse("x,c=3,a=1,b=2", name, &a, NULL), STATUS_OK);
    assert_int_equal(options_parse("x,b=2,c=3,a=1", name, &b, NULL), STATUS_OK);
    assert_memory_equal(&a, &b, sizeof a);
}

static void bad_texts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "the name of the implementation is empty"},
        {",v=8", "the name of the implementation is empty"},
        {"vpred,", "is not of the form KEY=VALUE"},
        {"vpred,v", "'v' is not of the form KEY=VALUE"},
        {"vpred,=8", "a key is empty"},
        {"vpred,v=", "a value is empty"},
        {"vpred,v=8,v=8", "v is given twice"},
        {"a-name-that-is-longer-than-31-chars", "longer than 31"},
        {"x,a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "there are more than 8 options"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct options options;
        char name[OPTION_TEXT_SIZE];
        struct error error;
        assert_int_equal(options_parse(cases[i].text, name, &options, &error), STATUS_INPUT);
        if (!strstr(error.text, cases[i].words))
            fail_msg("'%s' instead of '%s'", error.text, cases[i].words);
    }
}

static void integers_have_a_range_and_a_fallback(void **state) {
    (void)state;
    struct options options;
    char name[OPTION_TEXT_SIZE];
    long value = 0;
    struct error error;
    assert_int_equal(options_parse("x,v=8,w=8x,z=99999999999999999999", name, &options, NULL),
                     STATUS_OK);
    assert_int_equal(options_integer(&options, "v", 1, 8, 4, &value, &error), STATUS_OK);
    assert_int_equal(value, 8);
    assert_int_equal(options_integer(&options, "u", 1, 8, 4, &value, &error), STATUS_OK);
    assert_int_equal(value, 4);
    assert_int_equal(options_integer(&options, "v", 1, 7, 4, &value, &error), STATUS_INPUT);
    assert_string_equal(error.text, "v=8: not an integer from 1 to 7");
    assert_int_equal(options_integer(&options, "w", 1, 8, 4, &value, &error), STATUS_INPUT);
    assert_int_equal(options_integer(&options, "z", 1, 8, 4, &value, &error), STATUS_INPUT);
}

static void choices_are_places_among_words(void **state) {
    (void)state;
    struct options options;
    char name[OPTION_TEXT_SIZE];
    unsigned choice = 9;
    struct error error;
    assert_int_equal(options_parse("x,a=second,b=sec,c=second third", name, &options, NULL),
                     STATUS_OK);
    assert_int_equal(options_choice(&options, "x", "a", "first second third", &choice, NULL), 0);
    assert_int_equal(choice, 1);
    assert_int_equal(options_choice(&options, "x", "z", "first second", &choice, NULL), 0);
    assert_int_equal(choice, 0);
    assert_int_equal(options_choice(&options, "x", "b", "first second", &choice, &error),
                     STATUS_INPUT);
    assert_string_equal(error.text, "x,b=sec: b must be one of: first second");
    assert_int_equal(options_choice(&options, "x", "c", "first second third", &choice, &error),
                     STATUS_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_options_are_taken_apart),
        cmocka_unit_test(the_order_does_not_matter),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(integers_have_a_range_and_a_fallback),
        cmocka_unit_test(choices_are_places_among_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
