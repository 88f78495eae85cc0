#include "harness/caches/batches.h"

#include <math.h>

static double query_ns(const struct query_batch *batch) {
    return batch->ns * (double)batch->docs * (double)batch->trees;
}

double batch_queries_per_second(const struct query_batch *batch) {
    return 1e9 / query_ns(batch);
}

double batch_service_ms(const struct query_batch *batch) {
    return (double)batch->queries * query_ns(batch) * 1e-6;
}

/* The first query of a batch waits for B - 1 others, and the last one for none. */
double batch_mean_wait_ms(const struct query_batch *batch, double arrivals_per_second) {
    if (arrivals_per_second > batch_queries_per_second(batch))
        return INFINITY;
    return (double)(batch->queries - 1) / 2 / arrivals_per_second * 1e3;
}
