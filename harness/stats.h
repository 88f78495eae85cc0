/* Statistics of samples. Inputs are never changed; n = 0 gives NaN. */
#ifndef HARNESS_STATS_H
#define HARNESS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high; /* of confidence 95 %; NaN where it cannot be given (n < 2) */
};

/* NaN is also what is returned when memory runs out. True when that has happened in this process:
 * commands check it once at their end, because results that lack a figure must not look whole. */
bool stats_lacked_memory(void);

double stats_mean(const double *x, size_t n);
double stats_deviation(const double *x, size_t n); /* n - 1 in the denominator */
double stats_median(const double *x, size_t n);
double stats_quantile(const double *x, size_t n, double q); /* linear between order statistics */

/* Student's t for the mean, as the papers do over trials. */
struct interval stats_t_interval(const double *x, size_t n);
double stats_t_quantile(double p, double degrees); /* e.g. p = 0.975 */

/* Percentile bootstrap for the median. The same seed gives the same interval. */
struct interval stats_bootstrap_median(const double *x, size_t n, uint64_t seed);

/* The ratio of two things that were sampled in the same rounds: exp of the median of
 * log(numerator[i] / denominator[i]), with the bootstrap interval over rounds. */
struct ratio {
    double value;
    struct interval interval;
};
struct ratio stats_paired_ratio(const double *numerator, const double *denominator, size_t n,
                                uint64_t seed);

/* Samples outside Tukey's fences (1.5 interquartile ranges): counted, never removed. */
size_t stats_count_outliers(const double *x, size_t n);

#endif
