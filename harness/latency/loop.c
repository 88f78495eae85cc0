#include "harness/latency/loop.h"

#include "harness/instruments/timer.h"

#include <math.h>

void loop_stream(const struct service *service, uint64_t first, size_t n, uint64_t *latencies) {
    for (size_t i = 0; i < n; i++) {
        service->prepare(service->context, first + i);
        uint64_t begin = service->now(service->context);
        service->call(service->context);
        latencies[i] = service->now(service->context) - begin;
        if (latencies[i] >= service->slow_ns)
            service->notice(service->context);
        service->check(service->context);
    }
}

uint64_t loop_server(const struct service *service, uint64_t first, size_t n,
                     const uint64_t *arrivals, uint64_t *latencies) {
    uint64_t begin = service->now(service->context), end = begin;
    for (size_t i = 0; i < n; i++) {
        service->prepare(service->context, first + i);
        service->wait(service->context, begin + arrivals[i]);
        service->call(service->context);
        end = service->now(service->context);
        latencies[i] = end - (begin + arrivals[i]);
        service->check(service->context);
    }
    return end - begin;
}

uint64_t loop_clock_now(void *context) {
    (void)context;
    return timer_wall_ns();
}

/* Spins, because a thread that sleeps is woken too late. */
uint64_t loop_clock_wait(void *context, uint64_t time) {
    uint64_t now;
    do
        now = loop_clock_now(context);
    while (now < time);
    return now;
}

/* --- the largest rate ------------------------------------------------------------------------- */

/* At a small share of what a server can do, no queue is left to shorten. A clock that ticks in ns
 * cannot tell larger rates apart. */
static const double LEAST_SHARE = 1.0 / 64, MOST_RATE = 1e12;

/* 0.1 s is long enough for some of the machine's stalls. */
static const double LEAST_SECONDS = 0.1, LEAST_BOUNDS = 50;

size_t peak_trial_calls(double rate, double bound_ns, size_t least) {
    double n = fmax((double)least, rate * fmax(LEAST_SECONDS, LEAST_BOUNDS * bound_ns * 1e-9));
    return n <= PEAK_CALLS_MOST ? (size_t)n : 0;
}

double peak_find(peak_trial *meets, void *context, double start, double precision) {
    double good = start, bad = start;
    if (meets(context, start)) {
        while ((bad *= 2) < MOST_RATE && meets(context, bad))
            good = bad;
    } else {
        while ((good /= 2) >= start * LEAST_SHARE && !meets(context, good))
            bad = good;
        if (good < start * LEAST_SHARE)
            return 0;
    }
    while (bad > good * (1 + precision)) {
        double middle = (good + bad) / 2;
        *(meets(context, middle) ? &good : &bad) = middle;
    }
    return good;
}
