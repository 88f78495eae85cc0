/* Colours: on a terminal that has them, and nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/cli/shared/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The slave of a new pseudo-terminal, or NULL if the system has none. */
static FILE *open_terminal(int *master) {
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master))
        return NULL;
    return fopen(ptsname(*master), "w");
}

static void a_file_has_no_colours(void **state) {
    (void)state;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_string_equal(paint(file, PAINT_BAD), "");
    assert_string_equal(paint(file, PAINT_OFF), "");
    fclose(file);
}

static void a_terminal_has_them_unless_told_otherwise(void **state) {
    (void)state;
    int master;
    FILE *terminal = open_terminal(&master);
    if (!terminal)
        skip();
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_string_equal(paint(terminal, PAINT_GOOD), "\033[32m");
    assert_string_equal(paint(terminal, PAINT_OFF), "\033[0m");
    setenv("NO_COLOR", "", 1); /* no-color.org: an empty value counts as unset */
    assert_string_equal(paint(terminal, PAINT_BAD), "\033[31m");
    setenv("NO_COLOR", "1", 1);
    assert_string_equal(paint(terminal, PAINT_BAD), "");
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    assert_string_equal(paint(terminal, PAINT_DOUBT), "");
    unsetenv("TERM");
    assert_string_equal(paint(terminal, PAINT_DOUBT), "");
    fclose(terminal);
    close(master);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_no_colours),
        cmocka_unit_test(a_terminal_has_them_unless_told_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
