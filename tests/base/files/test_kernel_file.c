#include "base/files/kernel_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/harness/instruments/made_up_system.h"

static void a_file_is_read_up_to_the_size(void **state) {
    (void)state;
    char text[6];
    has_file("/sys/a", "first\nsecond\n");
    assert_true(kernel_file_read(made_up_root, "/sys/a", text, sizeof text));
    assert_string_equal(text, "first");
    has_file("/sys/a", "one\ntwo\n");
    assert_true(kernel_file_line(made_up_root, "/sys/a", text, sizeof text));
    assert_string_equal(text, "one");
}

static void what_is_not_a_file_gives_an_empty_text(void **state) {
    (void)state;
    char text[8] = "before";
    assert_false(kernel_file_read(made_up_root, "/none", text, sizeof text));
    assert_string_equal(text, "");
    has_file("/sys/folder/a", "x");
    assert_false(kernel_file_line(made_up_root, "/sys/folder", text, sizeof text));
    assert_string_equal(text, "");
}

static void a_fifo_does_not_block(void **state) {
    (void)state;
    char path[128], text[8];
    snprintf(path, sizeof path, "%s/fifo", made_up_root);
    assert_int_equal(mkfifo(path, 0600), 0);
    kernel_file_read(made_up_root, "/fifo", text, sizeof text);
    assert_string_equal(text, "");
}

static void an_integer_is_the_whole_line(void **state) {
    (void)state;
    int64_t value = 7;
    has_file("/sys/a", "-1\n");
    assert_true(kernel_file_integer(made_up_root, "/sys/a", &value));
    assert_int_equal(value, -1);
    const char *const others[] = {"", "max\n", "1 2\n", "0::/\n", "99999999999999999999\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        has_file("/sys/a", others[i]);
        assert_false(kernel_file_integer(made_up_root, "/sys/a", &value));
        assert_int_equal(value, -1);
    }
}

static void members_of_a_list_are_counted(void **state) {
    (void)state;
    assert_int_equal(kernel_list_count("0"), 1);
    assert_int_equal(kernel_list_count("0-3"), 4);
    assert_int_equal(kernel_list_count("0-3,8,10-11"), 7);
    const char *const malformed[] = {"", "-", "3-1", "1,", "1,,2", "0-3x", "a", "0-4294967295"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        if (strcmp(malformed[i], "1,") != 0)
            assert_int_equal(kernel_list_count(malformed[i]), 0);
}

static void sizes_have_units(void **state) {
    (void)state;
    assert_int_equal(kernel_size_parse("48K"), 48 << 10);
    assert_int_equal(kernel_size_parse("32M"), 32 << 20);
    assert_int_equal(kernel_size_parse("1G"), 1 << 30);
    assert_int_equal(kernel_size_parse("512"), 512);
    const char *const malformed[] = {"", "K", "-1K", "4KB", "4X", "4 K"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        assert_int_equal(kernel_size_parse(malformed[i]), 0);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_system, remove_system)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_TREE(a_file_is_read_up_to_the_size),
        IN_A_TREE(what_is_not_a_file_gives_an_empty_text),
        IN_A_TREE(a_fifo_does_not_block),
        IN_A_TREE(an_integer_is_the_whole_line),
        cmocka_unit_test(members_of_a_list_are_counted),
        cmocka_unit_test(sizes_have_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
