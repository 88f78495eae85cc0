/* The codes of a table's fields in a model's lists of categories. */
#include "models/categories.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cityhash.h"

static struct categories *words(const char *const *list, size_t count) {
    struct categories *categories = categories_create(false);
    for (size_t i = 0; i < count; i++)
        assert_true(categories_add_word(categories, 0, list[i], strlen(list[i])));
    return categories;
}

static void assert_code(const struct categories *categories, const char *text, uint32_t code) {
    uint32_t found = categories_find(categories, 0, text, strlen(text));
    if (found != code)
        fail_msg("'%s' has the code %u instead of %u", text, found, code);
}

/* LightGBM's models name False and True; tables from R and Java have other spellings. */
static void test_truth_values(void **state) {
    (void)state;
    struct categories *categories = words((const char *const[]){"False", "True"}, 2);
    static const char *const spellings[][2] = {
        {"False", "True"}, {"FALSE", "TRUE"}, {"false", "true"}};
    for (size_t i = 0; i < 3; i++) {
        assert_code(categories, spellings[i][0], 0);
        assert_code(categories, spellings[i][1], 1);
    }
    assert_code(categories, "fALSE", CATEGORIES_UNKNOWN);
    assert_code(categories, "F", CATEGORIES_UNKNOWN);
    assert_code(categories, "0", CATEGORIES_UNKNOWN);
    assert_code(categories, "", CATEGORIES_UNKNOWN);
    categories_free(categories);
    categories = words((const char *const[]){"TRUE", "maybe"}, 2);
    assert_code(categories, "true", 0);
    assert_code(categories, "False", CATEGORIES_UNKNOWN);
    categories_free(categories);
}

/* A model that tells spellings apart is taken at its word. */
static void test_the_same_spelling_comes_first(void **state) {
    (void)state;
    struct categories *categories =
        words((const char *const[]){"false", "FALSE", "true", "True"}, 4);
    assert_code(categories, "false", 0);
    assert_code(categories, "FALSE", 1);
    assert_code(categories, "true", 2);
    assert_code(categories, "True", 3);
    categories_free(categories);
}

/* CatBoost hashes what pandas calls True. */
static void test_hashes(void **state) {
    (void)state;
    struct categories *categories = categories_create(false);
    assert_true(categories_add_hash(categories, 0, (uint32_t)cityhash64("False", 5)));
    assert_true(categories_add_hash(categories, 0, (uint32_t)cityhash64("TRUE", 4)));
    assert_code(categories, "FALSE", CATEGORIES_UNKNOWN);
    assert_code(categories, "False", 0);
    assert_code(categories, "TRUE", 1);
    assert_code(categories, "true", CATEGORIES_UNKNOWN);
    assert_code(categories, "no", CATEGORIES_UNKNOWN);
    categories_free(categories);
}

static void test_numbers(void **state) {
    (void)state;
    struct categories *categories = categories_create(false);
    assert_true(categories_add_number(categories, 0, 1));
    assert_true(categories_add_number(categories, 0, 30.5));
    assert_code(categories, "1.0", 0);
    assert_code(categories, "305e-1", 1);
    assert_code(categories, "TRUE", CATEGORIES_UNKNOWN);
    categories_free(categories);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth_values),
        cmocka_unit_test(test_the_same_spelling_comes_first),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
