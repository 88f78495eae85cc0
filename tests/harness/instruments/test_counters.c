#include "harness/instruments/counters.h"

#include "harness/instruments/counters_backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 200 };
static const struct perf_event page_faults = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
static const struct perf_event task_clock = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
static const struct perf_event no_event = {PERF_TYPE_SOFTWARE, 0xffff};

/* Faults PAGES times in user space, and counts how often it ran. */
static void touch_fresh_pages(void *times_run) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * page] = 1;
    munmap(memory, PAGES * page);
    ++*(int *)times_run;
}

static bool is_one_line(const char *text) {
    return text[0] != '\0' && strchr(text, '\n') == NULL;
}

/* This holds on machines with all, some or no counters. */
static void assert_consistent(enum counters_source source) {
    int times_run = 0;
    struct counts counts;
    counters_count(source, touch_fresh_pages, &times_run, &counts);
    size_t valid = 0;
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_value *value = &counts.values[i];
        valid += value->valid;
        if (value->valid)
            assert_true(value->running_ns > 0 && value->running_ns == value->enabled_ns);
        else
            assert_int_equal(value->value, 0);
    }
    if (valid < COUNTER_COUNT)
        assert_true(is_one_line(counts.reason));
    else
        assert_string_equal(counts.reason, "");
    if (strcmp(counts.source, "none") == 0) {
        assert_int_equal(valid, 0);
        assert_int_equal(times_run, 0);
    } else {
        assert_in_range(times_run, 1, 4);
    }
    if (counts.values[COUNTER_INSTRUCTIONS].valid)
        assert_true(counts.values[COUNTER_INSTRUCTIONS].value > PAGES);
}

static void test_every_source_is_consistent(void **state) {
    (void)state;
    assert_consistent(COUNTERS_AUTO);
    assert_consistent(COUNTERS_PERF);
    assert_consistent(COUNTERS_PAPI);
}

static void test_none_runs_nothing(void **state) {
    (void)state;
    int times_run = 0;
    struct counts counts;
    counters_count(COUNTERS_NONE, touch_fresh_pages, &times_run, &counts);
    assert_int_equal(times_run, 0);
    assert_string_equal(counts.source, "none");
    assert_true(is_one_line(counts.reason));
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        assert_false(counts.values[i].valid);
}

static void skip_unless_perf_counts_software_events(void) {
    int times_run = 0;
    struct counter_value value;
    char reason[REASON_SIZE] = "";
    struct counted_work work = {touch_fresh_pages, &times_run};
    if (perf_count(&task_clock, 1, work, &value, reason) == 1)
        return;
    print_message("skipped: %s\n", reason);
    skip();
}

static void test_a_group_counts_its_events_over_one_run(void **state) {
    (void)state;
    skip_unless_perf_counts_software_events();
    int times_run = 0;
    const struct perf_event events[] = {page_faults, task_clock};
    struct counter_value values[2] = {0};
    char reason[REASON_SIZE] = "";
    struct counted_work work = {touch_fresh_pages, &times_run};
    assert_int_equal(perf_count(events, 2, work, values, reason), 2);
    assert_int_equal(times_run, 1);
    assert_string_equal(reason, "");
    assert_true(values[0].valid && values[1].valid);
    assert_in_range(values[0].value, PAGES, 2 * PAGES);
    assert_true(values[1].value > 0);
    assert_true(values[0].running_ns > 0 && values[0].running_ns == values[0].enabled_ns);
}

static void test_what_cannot_be_opened_does_not_spoil_its_group(void **state) {
    (void)state;
    skip_unless_perf_counts_software_events();
    int times_run = 0;
    const struct perf_event events[] = {no_event, page_faults};
    struct counter_value values[2] = {0};
    char reason[REASON_SIZE] = "";
    struct counted_work work = {touch_fresh_pages, &times_run};
    assert_int_equal(perf_count(events, 2, work, values, reason), 1);
    assert_int_equal(times_run, 1);
    assert_false(values[0].valid);
    assert_true(values[1].valid);
    assert_in_range(values[1].value, PAGES, 2 * PAGES);
    assert_true(is_one_line(reason));
}

static void test_without_any_event_the_work_is_not_run(void **state) {
    (void)state;
    int times_run = 0;
    struct counter_value value = {0};
    char reason[REASON_SIZE] = "";
    struct counted_work work = {touch_fresh_pages, &times_run};
    assert_int_equal(perf_count(&no_event, 1, work, &value, reason), 0);
    assert_int_equal(times_run, 0);
    assert_true(is_one_line(reason));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_source_is_consistent),
        cmocka_unit_test(test_none_runs_nothing),
        cmocka_unit_test(test_a_group_counts_its_events_over_one_run),
        cmocka_unit_test(test_what_cannot_be_opened_does_not_spoil_its_group),
        cmocka_unit_test(test_without_any_event_the_work_is_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
