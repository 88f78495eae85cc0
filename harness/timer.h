/* Clocks. Two of them are read around every sample: wall time (CLOCK_MONOTONIC) and the CPU time of
 * the calling thread. docs/measuring.md says which one is reported and why. */
#ifndef HARNESS_TIMER_H
#define HARNESS_TIMER_H

#include <stdint.h>

uint64_t timer_wall_ns(void);
uint64_t timer_cpu_ns(void); /* of the calling thread */

struct timer_info {
    double wall_resolution_ns, cpu_resolution_ns; /* smallest step seen, not the one claimed */
    double wall_cost_ns, cpu_cost_ns;             /* of one reading */
};
void timer_measure(struct timer_info *info); /* takes some milliseconds */

#endif
