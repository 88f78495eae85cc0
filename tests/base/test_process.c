/* Programs that run without a shell: their input, output and exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/process.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int run(const char *const *argv, const char *input, size_t input_size, char *text,
               size_t text_size) {
    struct process process;
    struct error error = {""};
    int exit_status = -1;
    if (process_start(argv, input, input_size, &process, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    process_finish(&process, text, text_size, &exit_status);
    return exit_status;
}

static void test_arguments_are_not_interpreted(void **state) {
    (void)state;
    const char *const argv[] = {"printf", "%s|", "a b", "$HOME", "*; exit 1", NULL};
    char text[64];
    assert_int_equal(run(argv, NULL, 0, text, sizeof text), 0);
    assert_string_equal(text, "a b|$HOME|*; exit 1|");
}

/* More than a pipe holds, in both directions. A text that is too long is cut. */
static void test_large_input_and_output(void **state) {
    (void)state;
    enum { SIZE = 3 << 20 };
    char *input = malloc(SIZE), *text = malloc(SIZE + 1);
    assert_true(input && text);
    for (size_t i = 0; i < SIZE; i++)
        input[i] = (char)('a' + i % 23);
    const char *const argv[] = {"cat", NULL};
    assert_int_equal(run(argv, input, SIZE, text, SIZE + 1), 0);
    assert_memory_equal(text, input, SIZE);
    assert_int_equal(strlen(text), SIZE);
    char cut[6];
    assert_int_equal(run(argv, input, SIZE, cut, sizeof cut), 0);
    assert_string_equal(cut, "abcde");
    free(input);
    free(text);
}

static void test_both_outputs_and_exit_status(void **state) {
    (void)state;
    const char *const fails[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    const char *const dies[] = {"sh", "-c", "kill -9 $$", NULL};
    char text[64];
    assert_int_equal(run(fails, NULL, 0, text, sizeof text), 3);
    assert_string_equal(text, "out\nerr\n");
    assert_int_equal(run(dies, NULL, 0, text, sizeof text), 128 + 9);
    assert_string_equal(text, "");
}

static size_t count_descriptors(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void test_no_such_program(void **state) {
    (void)state;
    const char *const argv[] = {"/nonexistent/program", NULL};
    const char *const works[] = {"true", NULL};
    struct process process;
    struct error error = {""};
    char text[8];
    size_t before = count_descriptors();
    assert_int_equal(process_start(argv, NULL, 0, &process, &error), STATUS_MACHINE);
    assert_non_null(strstr(error.text, "cannot run /nonexistent/program: No such file"));
    assert_int_equal(run(works, NULL, 0, text, sizeof text), 0);
    assert_int_equal(count_descriptors(), before); /* nothing stays open, even on errors */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_are_not_interpreted),
        cmocka_unit_test(test_large_input_and_output),
        cmocka_unit_test(test_both_outputs_and_exit_status),
        cmocka_unit_test(test_no_such_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
