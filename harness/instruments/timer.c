#include "harness/instruments/timer.h"

#include <time.h>

enum {
    /* stop after this many steps of the clock; the smallest step is its resolution */
    STEPS_WANTED = 1000,
    STEP_PATIENCE_MS = 5, /* or stop after this time, because a coarse clock rarely steps */
    /* take at least this many readings even after that time, because the process may have been
     * descheduled */
    STEP_READINGS = 1000,
    COST_BATCHES = 5, /* the fastest batch counts, because it was not interrupted */
    COST_BATCH_READINGS = 500
};

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t timer_wall_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t timer_cpu_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the smallest step of a clock in ns. If there is no step within STEP_PATIENCE_MS, returns
 * that time: the resolution is not known to be finer. */
static double measure_resolution(uint64_t (*read)(void)) {
    const uint64_t patience = (uint64_t)STEP_PATIENCE_MS * 1000000u;
    uint64_t begin = timer_wall_ns(), smallest = patience, last = read();
    size_t steps = 0, readings = 0;
    while (steps < STEPS_WANTED &&
           (readings++ < STEP_READINGS || timer_wall_ns() - begin < patience)) {
        uint64_t now = read();
        if (now > last) {
            smallest = now - last < smallest ? now - last : smallest;
            steps++;
        }
        last = now;
    }
    return (double)smallest;
}

static double measure_cost(uint64_t (*read)(void)) {
    uint64_t least = UINT64_MAX;
    for (int batch = 0; batch < COST_BATCHES; batch++) {
        uint64_t begin = timer_wall_ns();
        for (int i = 0; i < COST_BATCH_READINGS; i++)
            read();
        uint64_t spent = timer_wall_ns() - begin;
        least = spent < least ? spent : least;
    }
    return (double)least / COST_BATCH_READINGS;
}

void timer_measure(struct timer_info *info) {
    info->wall_resolution_ns = measure_resolution(timer_wall_ns);
    info->cpu_resolution_ns = measure_resolution(timer_cpu_ns);
    info->wall_cost_ns = measure_cost(timer_wall_ns);
    info->cpu_cost_ns = measure_cost(timer_cpu_ns);
}
