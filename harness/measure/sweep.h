/* Memory that fills the caches with other data than what is timed. */
#ifndef HARNESS_MEASURE_SWEEP_H
#define HARNESS_MEASURE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

struct sweep {
    unsigned char *memory;
    size_t size;
};

/* Returns false if memory runs out. sweep_free frees it; all zeros are allowed. */
bool sweep_create(struct sweep *sweep);
void sweep_free(struct sweep *sweep);

/* Empties the caches of documents and scorers. */
void sweep_run(const struct sweep *sweep);

#endif
