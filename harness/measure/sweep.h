/* Memory that fills the caches with other data than what is timed. */
#ifndef HARNESS_MEASURE_SWEEP_H
#define HARNESS_MEASURE_SWEEP_H

#include "base/cpu.h"
#include "base/status.h"

struct sweep {
    unsigned char *memory;
    size_t size;
};

/* The caches that a sweep fills: all, or all up to L1 or L2, so that what was there is then in the
 * next level. Instructions stay in L1. */
enum sweep_depth { SWEEP_ALL, SWEEP_L1, SWEEP_L2 };

/* Returns the bytes of a sweep; 0 if the size of that cache, or of the next one, is unknown.
 * SWEEP_ALL then assumes a size. */
size_t sweep_size(const struct cpu_info *cpu, enum sweep_depth depth);

/* Returns how many bytes of the next cache remain for what was swept out; 0: none. */
size_t sweep_room(const struct cpu_info *cpu, enum sweep_depth depth);

/* STATUS_MACHINE if the sizes of the caches are unknown. sweep_free frees it; all zeros are
 * allowed. */
enum status sweep_create(enum sweep_depth depth, struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep);

/* Empties the caches of documents and scorers. */
void sweep_run(const struct sweep *sweep);

#endif
