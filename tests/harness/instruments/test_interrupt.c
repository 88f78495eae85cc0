/* Ctrl-C is remembered once, then it ends the program again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/instruments/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `behave` in a child, because its signal may end it. Returns the child's wait status. */
static int run_in_child(void (*behave)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL); /* whoever started the tests may ignore it */
        behave();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_exit(int status, int expected) {
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static void assert_ended_by_signal(int status) {
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

static void exit_with_answers(void) {
    bool first = interrupt_asked();
    interrupt_defer();
    bool second = interrupt_asked();
    raise(SIGINT);
    _exit(first ? 1 : second ? 2 : interrupt_asked() ? 3 : 4);
}

static void interrupt_twice(void) {
    interrupt_defer();
    raise(SIGINT);
    interrupt_defer(); /* must not defer a second signal */
    raise(SIGINT);
}

static void interrupt_after_deferral(void) {
    interrupt_defer();
    interrupt_end_deferral();
    raise(SIGINT);
}

static void handle(int number) {
    (void)number;
    _exit(7);
}

static void interrupt_with_handler(void) {
    signal(SIGINT, handle);
    interrupt_defer();
    raise(SIGINT);
    raise(SIGINT);
}

static void interrupt_ignored(void) {
    signal(SIGINT, SIG_IGN);
    interrupt_defer();
    raise(SIGINT);
    _exit(interrupt_asked() ? 1 : 5);
}

static void first_signal_is_remembered(void **state) {
    (void)state;
    assert_exit(run_in_child(exit_with_answers), 3);
}

static void second_signal_ends(void **state) {
    (void)state;
    assert_ended_by_signal(run_in_child(interrupt_twice));
    assert_exit(run_in_child(interrupt_with_handler), 7);
}

static void signal_after_deferral_ends(void **state) {
    (void)state;
    assert_ended_by_signal(run_in_child(interrupt_after_deferral));
}

static void ignored_signal_stays_ignored(void **state) {
    (void)state;
    assert_exit(run_in_child(interrupt_ignored), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_signal_is_remembered),
        cmocka_unit_test(second_signal_ends),
        cmocka_unit_test(signal_after_deferral_ends),
        cmocka_unit_test(ignored_signal_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
