/* Clocks. Each sample is timed with two clocks: wall time (CLOCK_MONOTONIC) and the CPU time of the
 * calling thread. docs/measuring.md explains which one is reported. */
#ifndef HARNESS_INSTRUMENTS_TIMER_H
#define HARNESS_INSTRUMENTS_TIMER_H

#include <stdint.h>

uint64_t timer_wall_ns(void);
uint64_t timer_cpu_ns(void); /* of the calling thread */

struct timer_info {
    /* the smallest step observed; the system may claim another */
    double wall_resolution_ns, cpu_resolution_ns;
    double wall_cost_ns, cpu_cost_ns; /* cost of one reading */
};
void timer_measure(struct timer_info *info); /* takes about 2 milliseconds */

#endif
