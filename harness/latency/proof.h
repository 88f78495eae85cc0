/* Percentiles with a proof: how many of the longest latencies must be discarded so that the longest
 * one left is at least the true percentile, with a confidence of 0.99.
 *
 * This is the rule of MLPerf's early stopping with a tolerance of 0. Of n latencies, t are
 * discarded, where t is the largest number for which P[Binomial(n, over) <= t] <= 0.01. `over` is
 * the share of latencies above the percentile: 0.01 for p99. The estimate is sorted[n - t], counted
 * from 0. t must be at least 1; with fewer latencies than that needs, nothing is proven. */
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

/* Returns t for n latencies. 0: the percentile is not proven. */
uint64_t proof_discarded(uint64_t n, double over);

/* Returns the least n for which t latencies may be discarded; 662 for p99 and t = 1. */
uint64_t proof_needed(uint64_t t, double over);

#endif
