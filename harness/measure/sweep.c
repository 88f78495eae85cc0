#include "harness/measure/sweep.h"

#include "base/cpu.h"

#include <stdlib.h>

/* Reading this many times the last level of the caches, or of this size if it is unknown, leaves
 * nothing else there. */
enum { SWEEP_TIMES = 2, SWEEP_UNKNOWN = 1 << 26, SWEEP_MOST = 1 << 29, CACHE_LINE = 64 };

bool sweep_create(struct sweep *sweep) {
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    size_t last = cpu.l3_bytes ? cpu.l3_bytes : cpu.l2_bytes;
    sweep->size = last ? SWEEP_TIMES * last : SWEEP_UNKNOWN;
    if (sweep->size > SWEEP_MOST)
        sweep->size = SWEEP_MOST;
    sweep->memory = calloc(sweep->size, 1);
    return sweep->memory;
}

void sweep_free(struct sweep *sweep) {
    free(sweep->memory);
    *sweep = (struct sweep){.memory = NULL};
}

void sweep_run(const struct sweep *sweep) {
    for (size_t i = 0; i < sweep->size; i += CACHE_LINE)
        ++*(volatile unsigned char *)&sweep->memory[i];
}
