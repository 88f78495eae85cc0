/* The user's folders. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/files/xdg.h"

#include <stdlib.h>
#include <string.h>

static void assert_folder(const char *cache, const char *home, const char *expected) {
    char path[PATH_MAX] = "";
    assert_int_equal(cache ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME"), 0);
    assert_int_equal(home ? setenv("HOME", home, 1) : unsetenv("HOME"), 0);
    assert_int_equal(xdg_folder("XDG_CACHE_HOME", ".cache", path), expected != NULL);
    if (expected)
        assert_string_equal(path, expected);
}

static void the_variable_goes_before_the_home_folder(void **state) {
    (void)state;
    assert_folder("/a", "/b", "/a");
    assert_folder(NULL, "/b", "/b/.cache");
    assert_folder("", "/b", "/b/.cache");
    assert_folder("/a", NULL, "/a");
}

static void relative_paths_are_passed_over(void **state) {
    (void)state;
    assert_folder("a", "/b", "/b/.cache");
    assert_folder("a", "b", NULL);
    assert_folder(NULL, NULL, NULL);
}

static void a_path_that_is_too_long_is_none(void **state) {
    (void)state;
    static char home[PATH_MAX];
    memset(home, '/', sizeof home - 1);
    assert_folder(NULL, home, NULL);
    assert_folder(home, NULL, home); /* fits to the last byte */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_goes_before_the_home_folder),
        cmocka_unit_test(relative_paths_are_passed_over),
        cmocka_unit_test(a_path_that_is_too_long_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
