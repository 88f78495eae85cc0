#include "harness/latency/proof.h"

#include <math.h>
#include <stdbool.h>

static const double MISTAKEN = 0.01; /* 1 - confidence */
/* Terms of a sum that are smaller than this share of it are left out. */
static const double NEGLIGIBLE = 1e-17;

const struct percentile percentiles[PERCENTILES] = {
    {"p50", 0.5}, {"p90", 0.1}, {"p99", 0.01}, {"p99.9", 0.001}, {"p99.99", 0.0001}};

/* The logarithm of P[Binomial(n, p) = k]. */
static double log_probability(double n, double k, double p) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

/* Returns P[Binomial(n, p) <= t] for t below the mean. From t down, each term is smaller than the
 * one before, so the sum ends after about as many terms as the deviation. */
static double probability_up_to(double n, double t, double p) {
    double term = 1, sum = 1;
    for (double k = t; k > 0 && term > sum * NEGLIGIBLE; k--) {
        term *= k / (n - k + 1) * (1 - p) / p;
        sum += term;
    }
    return exp(log_probability(n, t, p)) * sum;
}

/* At the mean and above, the probability is near one half or more. */
static bool proves(uint64_t n, uint64_t t, double over) {
    return (double)t < (double)n * over &&
           probability_up_to((double)n, (double)t, over) <= MISTAKEN;
}

uint64_t proof_rank(uint64_t n, double over) {
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t t = low + (high - low + 1) / 2;
        if (proves(n, t, over))
            low = t;
        else
            high = t - 1;
    }
    return low;
}

uint64_t proof_needed(uint64_t t, double over) {
    uint64_t low = t, high = t + 1;
    while (!proves(high, t, over))
        high *= 2;
    while (low + 1 < high) {
        uint64_t n = low + (high - low) / 2;
        if (proves(n, t, over))
            high = n;
        else
            low = n;
    }
    return high;
}
