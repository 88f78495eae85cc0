/* The loops, in simulated time: nothing here waits, and nothing depends on the machine. */
#include "harness/latency/histogram.h"
#include "harness/latency/loop.h"
#include "harness/latency/proof.h"
#include "harness/latency/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

enum { CALLS = 200000, SERVICE_NS = 1000, STALL_NS = 1000000, STALL_EVERY = 5000 };

/* A service that takes 1 us, and 1 ms in some calls. */
struct simulation {
    uint64_t time, stall_every, number, calls, checks, slow;
};

static uint64_t now(void *context) {
    return ((struct simulation *)context)->time;
}

static uint64_t wait(void *context, uint64_t time) {
    struct simulation *s = context;
    return s->time = s->time < time ? time : s->time;
}

static void prepare(void *context, uint64_t number) {
    struct simulation *s = context;
    s->number = number;
}

static void call(void *context) {
    struct simulation *s = context;
    bool stalls = s->stall_every && s->number % s->stall_every == s->stall_every - 1;
    s->time += stalls ? STALL_NS : SERVICE_NS;
    assert_int_equal(s->number, s->calls++);
}

static void check(void *context) {
    struct simulation *s = context;
    assert_int_equal(s->calls, ++s->checks);
}

static void notice(void *context) {
    struct simulation *s = context;
    assert_int_equal(s->number % s->stall_every, s->stall_every - 1);
    s->slow++;
}

static struct service service_of(struct simulation *simulation) {
    return (struct service){simulation, now, wait, prepare, call, check, STALL_NS, notice};
}

static struct histogram *histogram_of(const uint64_t *latencies) {
    struct histogram *histogram = histogram_create();
    assert_non_null(histogram);
    for (size_t i = 0; i < CALLS; i++)
        histogram_record(histogram, latencies[i]);
    return histogram;
}

static uint64_t proven(const struct histogram *histogram, double over) {
    uint64_t t = proof_rank(histogram->total, over);
    assert_true(t > 0);
    return histogram_at(histogram, histogram->total - t);
}

/* 1 of 5,000 calls is above p99.9 and below p99.99. */
static void test_a_single_stream_hides_a_stall_in_every_5000th_call(void **state) {
    uint64_t *latencies = *state;
    struct simulation s = {.stall_every = STALL_EVERY};
    struct service service = service_of(&s);
    loop_stream(&service, 0, CALLS, latencies);
    struct histogram *histogram = histogram_of(latencies);
    assert_int_equal(s.checks, CALLS);
    assert_int_equal(s.slow, CALLS / STALL_EVERY);
    assert_int_equal(proven(histogram, 0.01), SERVICE_NS);
    assert_int_equal(proven(histogram, 0.001), SERVICE_NS);
    assert_in_range(proven(histogram, 0.0001), STALL_NS, STALL_NS * 1.001);
    free(histogram);
}

/* At half of the service's rate, a stall of 1,000 calls' time delays the 500 calls that arrive
 * during it, and about as many until the queue is empty again: 1,000 of 5,000. Their delays fall
 * evenly from 1 ms to 0. So 1 % of all calls, a twentieth of them, waits at least 0.95 ms. */
static void test_a_server_finds_the_stall_at_p99(void **state) {
    uint64_t *latencies = *state, *arrivals = calloc(CALLS, sizeof *arrivals);
    assert_non_null(arrivals);
    struct simulation s = {.stall_every = STALL_EVERY};
    struct service service = service_of(&s);
    schedule_arrivals(0.5e9 / SERVICE_NS, 1, CALLS, arrivals);
    uint64_t took = loop_server(&service, 0, CALLS, arrivals, latencies);
    struct histogram *histogram = histogram_of(latencies);
    assert_int_equal(s.checks, CALLS);
    assert_true(took == s.time && took >= arrivals[CALLS - 1] + SERVICE_NS);
    assert_in_range(histogram_percentile(histogram, 0.5), SERVICE_NS, 3 * SERVICE_NS);
    assert_in_range(proven(histogram, 0.1), 0.3 * STALL_NS, 0.7 * STALL_NS);
    assert_in_range(proven(histogram, 0.01), 0.9 * STALL_NS, 1.1 * STALL_NS);
    free(histogram);
    free(arrivals);
}

static void test_a_server_without_stalls_has_short_queues(void **state) {
    uint64_t *latencies = *state, *arrivals = calloc(CALLS, sizeof *arrivals);
    assert_non_null(arrivals);
    struct simulation s = {.stall_every = 0};
    struct service service = service_of(&s);
    schedule_arrivals(0.5e9 / SERVICE_NS, 1, CALLS, arrivals);
    loop_server(&service, 0, CALLS, arrivals, latencies);
    struct histogram *histogram = histogram_of(latencies);
    assert_in_range(proven(histogram, 0.01), 3 * SERVICE_NS, 6 * SERVICE_NS);
    free(histogram);
    free(arrivals);
}

/* --- peak rates ------------------------------------------------------------------------------- */

struct limit {
    double most;
    unsigned trials;
};

static bool is_below(void *context, double rate) {
    struct limit *limit = context;
    limit->trials++;
    return rate <= limit->most;
}

static void test_the_peak_is_found_from_both_sides(void **state) {
    (void)state;
    static const double starts[] = {1, 900, 1000, 1001, 63000};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct limit limit = {.most = 1000};
        double peak = peak_find(is_below, &limit, starts[i], 0.01);
        assert_true(peak > 1000 / 1.01 && peak <= 1000);
        assert_in_range(limit.trials, 7, 30);
    }
}

static void test_a_trial_is_long_compared_with_the_bound(void **state) {
    (void)state;
    assert_int_equal(peak_trial_calls(1000, 1e6, 2010), 2010);   /* enough for the percentile */
    assert_int_equal(peak_trial_calls(1e5, 1e3, 2010), 10000);   /* 0.1 s */
    assert_int_equal(peak_trial_calls(1e6, 1e8, 2010), 5000000); /* 50 bounds */
    assert_int_equal(peak_trial_calls(1e6, 1e9, 2010), 0);
}

static void test_there_may_be_no_peak(void **state) {
    (void)state;
    struct limit none = {.most = 0}, any = {.most = 1e300};
    assert_true(peak_find(is_below, &none, 1000, 0.01) == 0);
    assert_true(peak_find(is_below, &any, 1000, 0.01) > 1e11);
}

static int set_up(void **state) {
    *state = calloc(CALLS, sizeof(uint64_t));
    return *state ? 0 : 1;
}

static int tear_down(void **state) {
    free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_single_stream_hides_a_stall_in_every_5000th_call),
        cmocka_unit_test(test_a_server_finds_the_stall_at_p99),
        cmocka_unit_test(test_a_server_without_stalls_has_short_queues),
        cmocka_unit_test(test_the_peak_is_found_from_both_sides),
        cmocka_unit_test(test_a_trial_is_long_compared_with_the_bound),
        cmocka_unit_test(test_there_may_be_no_peak),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
