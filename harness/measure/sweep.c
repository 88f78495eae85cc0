#include "harness/measure/sweep.h"

#include <stdlib.h>

/* Reading this many times the size of a cache leaves nothing else there. */
enum { SWEEP_TIMES = 2, SWEEP_UNKNOWN = 1 << 26, SWEEP_MOST = 1 << 29, CACHE_LINE = 64 };

/* The cache after those that are filled; 0 if unknown, or if there is none. */
static size_t next_bytes(const struct cpu_info *cpu, enum sweep_depth depth) {
    return depth == SWEEP_L1 ? cpu->l2_bytes : depth == SWEEP_L2 ? cpu->l3_bytes : 0;
}

static size_t size_of_all(const struct cpu_info *cpu) {
    size_t last = cpu->l3_bytes ? cpu->l3_bytes : cpu->l2_bytes;
    size_t size = last ? SWEEP_TIMES * last : SWEEP_UNKNOWN;
    return size < SWEEP_MOST ? size : SWEEP_MOST;
}

size_t sweep_size(const struct cpu_info *cpu, enum sweep_depth depth) {
    if (depth == SWEEP_ALL)
        return size_of_all(cpu);
    size_t filled = depth == SWEEP_L1 ? cpu->l1d_bytes : cpu->l2_bytes;
    return next_bytes(cpu, depth) ? SWEEP_TIMES * filled : 0;
}

size_t sweep_room(const struct cpu_info *cpu, enum sweep_depth depth) {
    size_t size = sweep_size(cpu, depth), next = next_bytes(cpu, depth);
    return next > size ? next - size : 0;
}

enum status sweep_create(enum sweep_depth depth, struct sweep *sweep, struct error *error) {
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    *sweep = (struct sweep){.size = sweep_size(&cpu, depth)};
    if (!sweep->size)
        return error_set(
            error, STATUS_MACHINE,
            "the system does not report the size of a cache that is to be emptied or to hold the "
            "model");
    sweep->memory = calloc(sweep->size, 1);
    return sweep->memory ? STATUS_OK : error_memory(error, "caches to empty");
}

void sweep_free(struct sweep *sweep) {
    free(sweep->memory);
    *sweep = (struct sweep){.memory = NULL};
}

void sweep_run(const struct sweep *sweep) {
    for (size_t i = 0; i < sweep->size; i += CACHE_LINE)
        ++*(volatile unsigned char *)&sweep->memory[i];
}
