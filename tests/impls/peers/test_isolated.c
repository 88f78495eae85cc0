/* Functions that run in a process of their own. What peers do there is in tests/cli/peer.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impls/peers/isolated.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct result {
    int before, after;
};

static int elsewhere;

static void write_result(void *context, void *result) {
    struct result *r = result;
    elsewhere = 1;
    r->after = r->before + *(int *)context;
}

static void test_only_the_result_comes_back(void **state) {
    (void)state;
    int context = 3;
    struct result r = {.before = 4};
    struct error error;
    assert_int_equal(isolated_run(write_result, &context, &r, sizeof r, 60, &error), STATUS_OK);
    assert_int_equal(r.before, 4);
    assert_int_equal(r.after, 7);
    assert_int_equal(elsewhere, 0);
}

static void write_and_crash(void *context, void *result) {
    write_result(context, result);
    raise(SIGPIPE);
}

static void test_what_is_written_before_a_crash_comes_back(void **state) {
    (void)state;
    int context = 3;
    struct result r = {.before = 4};
    struct error error;
    signal(SIGPIPE, SIG_IGN); /* which the other process does not inherit */
    assert_int_equal(isolated_run(write_and_crash, &context, &r, sizeof r, 60, &error),
                     STATUS_INPUT);
    assert_string_equal(error.text, "crashed by signal 13 (Broken pipe)");
    assert_int_equal(r.after, 7);
}

static void read_score(void *context, void *result) {
    FILE *file = fopen(context, "r");
    if (!file || fscanf(file, "%d", (int *)result) != 1)
        abort();
    fclose(file);
}

static void test_it_is_the_first_to_be_killed_without_memory(void **state) {
    (void)state;
    char path[] = "/proc/self/oom_score_adj";
    int score = 0;
    struct error error;
    assert_int_equal(isolated_run(read_score, path, &score, sizeof score, 60, &error), STATUS_OK);
    assert_int_equal(score, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_result_comes_back),
        cmocka_unit_test(test_what_is_written_before_a_crash_comes_back),
        cmocka_unit_test(test_it_is_the_first_to_be_killed_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
