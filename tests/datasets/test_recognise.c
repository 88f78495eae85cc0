/* Which format a text is in. */
#include "datasets/recognise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Recognises a copy without a NUL after it, so that AddressSanitizer detects reads past the end. */
static void assert_all(const char *const *texts, size_t count, enum text_format expected) {
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(texts[i]);
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, texts[i], size);
        enum text_format found = text_recognise(copy, size);
        free(copy);
        if (found != expected)
            fail_msg("'%s' is %d instead of %d", texts[i], found, expected);
    }
}
#define ASSERT_ALL(texts, expected) assert_all(texts, sizeof texts / sizeof *texts, expected)

static void test_svmlight(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1 qid:1 1:0.5\n",
        "1\tqid:1\t1:0.5",
        "0\t1:3",
        "+1e0 7:nan",
        "# a, b\n1 1:2",
        "1 1:2 # a;b",
        "5\n6 # a;b\n\n7 2:1\n", /* labels without features say nothing */
        "2 3\n1 2:5\n0\n",       /* OptTrees' counts */
        "",
        "\n",
        "# nothing\n\n"};
    ASSERT_ALL(texts, TEXT_SVMLIGHT);
}

static void test_tables_with_separators(void **state) {
    (void)state;
    static const char *const texts[] = {"1,2\n",         "a;b\n",    "39, Private, 77516", "1\t2",
                                        "x\ty",          "\n1,2",    "\"a,b\";c",          "1,#2\n",
                                        "3,qid:1 1:2\n", "a 1:2,b\n"};
    ASSERT_ALL(texts, TEXT_TABLE);
}

static void test_tables_with_spaces(void **state) {
    (void)state;
    static const char *const texts[] = {"-3e-07 8.2 -1",
                                        "1.5 2\n",
                                        "1 NA\n2 3\n",
                                        "TRUE 1\n",
                                        "1 2 3\n4 5\n",
                                        "1 2\n3 4\n",
                                        "1 2\n\n3 x\n",
                                        "1 2\n", /* no documents follow OptTrees' counts */
                                        "age height\n30 1.62\n",
                                        "a 0\n1 2\n",
                                        "\"first name\" age\n\"u v\" 3\n",
                                        "  x y\n 1  2 \n",
                                        "5 red\n7 blue\n",
                                        "red 5\n",
                                        "x red\nNA blue\n"};
    ASSERT_ALL(texts, TEXT_TABLE);
}

/* A table of one column, unless every line is a number. */
static void test_one_column(void **state) {
    (void)state;
    static const char *const tables[] = {"x\n1\n5\n",     "1\nNA\n",  "\"\"\n1\n",
                                         "TRUE\nFALSE\n", "5\nred\n", "5\n1 2\n"};
    static const char *const numbers[] = {"1",         "1\n5\n15\n19\n", "nan\n\n-inf\r\n",
                                          "1 # 1:2\n", "# x\n1\n",       "2 3\n1\n5\n"};
    ASSERT_ALL(tables, TEXT_TABLE);
    ASSERT_ALL(numbers, TEXT_NUMBERS);
}

static void test_unknown(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"label\": 1}\n",
                                        "<a/>\n",
                                        "[1, 2]\n",
                                        "hello\n",
                                        "tree\nversion=v4\n",
                                        "a sentence\nof words\n",
                                        "two words\n1 2 3\n",
                                        "abc 1:3\n",
                                        "1 a:3 2:4\n2 a:3 2:5\n",
                                        "a \"b\n1 2\n",
                                        "# x y\n1 2 3\n", /* tables have no comments */
                                        "#id,x\n1,2\n"};
    ASSERT_ALL(texts, TEXT_UNKNOWN);
    assert_int_equal(text_recognise("a\0b,c\n", 6), TEXT_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_tables_with_separators),
        cmocka_unit_test(test_tables_with_spaces),
        cmocka_unit_test(test_one_column),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
