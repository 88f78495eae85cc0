/* Percentiles with a proof: which of the longest latencies is at least the true percentile, with a
 * confidence of 0.99.
 *
 * This is the rule of MLPerf's early stopping with a tolerance of 0. Of n latencies, the estimate
 * is the t-th longest: sorted[n - t], counted from 0. t is the largest number for which
 * P[Binomial(n, over) <= t] <= 0.01. `over` is the share of latencies above the percentile: 0.01
 * for p99. t must be at least 1; with fewer latencies than that needs, nothing is proven. */
#ifndef HARNESS_LATENCY_PROOF_H
#define HARNESS_LATENCY_PROOF_H

#include <stdint.h>

/* The percentiles that are reported. */
struct percentile {
    const char *name; /* "p99" */
    double over;      /* 0.01 */
};
enum { PERCENTILES = 5 };
extern const struct percentile percentiles[PERCENTILES]; /* ascending */

/* Returns t for n latencies: 1 is the longest. 0: the percentile is not proven. */
uint64_t proof_rank(uint64_t n, double over);

/* Returns the least n for which the t-th longest proves the percentile; 662 for p99 and t = 1. */
uint64_t proof_needed(uint64_t t, double over);

#endif
