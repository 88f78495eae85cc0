/* Threads that help one calling thread with parts of short calls. Each helper is pinned to a
 * processor and spins until it gets a job, so that handing one over takes the time of a cache line
 * from core to core. A helper that got none for a while sleeps. The caller never gives a job to a
 * helper that sleeps; it wakes it for the next one. */
#ifndef LIBRARY_POOL_H
#define LIBRARY_POOL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_MAX_THREADS = 256 };

struct pool;

/* What a helper does: run(job). The other members are for `run`. A job fits one cache line. */
struct pool_job {
    void (*run)(const struct pool_job *job);
    const void *part; /* of the helper */
    const float *x;
    size_t stride, n_docs;
};

/* Starts n_threads - 1 helpers; the calling thread is the first thread of the pool. processors[i]
 * is the logical processor of helper i. NULL: those that the creating thread may use, except the
 * one that it runs on, with first hyper-threads before second ones. STATUS_MACHINE if there are too
 * few, or if a thread cannot be started or pinned. A helper sleeps after spin_ns without a job. */
enum status pool_create(size_t n_threads, const int *processors, uint64_t spin_ns,
                        struct pool **pool, struct error *error);
void pool_free(struct pool *pool); /* NULL is fine */

size_t pool_threads(const struct pool *pool);

/* Are the first n helpers awake? Wakes those that sleep. */
bool pool_is_awake(struct pool *pool, size_t n);

/* Gives a job to a helper that is awake and has none. The job is copied. */
void pool_give(struct pool *pool, size_t helper, const struct pool_job *job);

/* Waits until the helper has finished its job. */
void pool_wait(struct pool *pool, size_t helper);

#endif
