#include "harness/latency/causes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <time.h>

static void touch_new_page(void) {
    enum { PAGE = 4096 };
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    *(volatile char *)page = 1;
    munmap(page, PAGE);
}

static void sleep_briefly(void) {
    const struct timespec pause = {0, 100000};
    nanosleep(&pause, NULL);
}

static void test_events_since_a_reading_are_added(void **state) {
    (void)state;
    struct causes causes = {.waits = 5};
    struct causes_reading before = causes_read();
    sleep_briefly();
    touch_new_page();
    causes_add(&before, &causes);
    assert_true(causes.waits >= 6);
    assert_true(causes.minor_faults >= 1);
}

static void test_a_slow_call_is_counted_by_what_came_with_it(void **state) {
    (void)state;
    struct causes causes;
    struct causes_reading last;
    do { /* until no other thread gets the processor meanwhile */
        causes = (struct causes){.slow = 0};
        last = causes_read();
        touch_new_page();
        causes_add_slow(&last, &causes);
        causes_add_slow(&last, &causes);
    } while (causes.slow_preempted);
    assert_true(causes.slow == 2 && causes.slow_faulted == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_since_a_reading_are_added),
        cmocka_unit_test(test_a_slow_call_is_counted_by_what_came_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
