#include "harness/latency/loop.h"

#include "harness/instruments/timer.h"

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
