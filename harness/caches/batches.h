/* Batches of queries (jin2016, sections 4.3 and 5.4): the documents of several queries are scored
 * in one call, which fills the blocks. Queries then wait for each other. */
#ifndef HARNESS_CACHES_BATCHES_H
#define HARNESS_CACHES_BATCHES_H

#include <stddef.h>

struct query_batch {
    size_t queries; /* B */
    size_t docs;    /* n, per query */
    size_t trees;   /* m */
    double ns;      /* t, per document and tree, in calls of B * n documents */
};

/* Returns 1 / (t * n * m). */
double batch_queries_per_second(const struct query_batch *batch);

/* Returns B * n * m * t in ms: what a full batch takes. */
double batch_service_ms(const struct query_batch *batch);

/* Returns the mean time in ms from the arrival of a query to the start of its batch. Queries arrive
 * at a fixed rate, and a batch starts when B queries have come and the batch before it is done.
 * INFINITY if queries come faster than they are scored. */
double batch_mean_wait_ms(const struct query_batch *batch, double arrivals_per_second);

#endif
