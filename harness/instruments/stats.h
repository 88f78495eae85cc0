/* Statistics of samples. No function changes its inputs. Without samples, values are NaN and counts
 * are 0. */
#ifndef HARNESS_INSTRUMENTS_STATS_H
#define HARNESS_INSTRUMENTS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high; /* 95 % confidence; NaN if there is none (n < 2) */
};

/* Returns true if one of the functions below ran out of memory. That function returned NaN, or 0
 * for a count. Commands check this once before they exit, because results with missing figures must
 * not look complete. */
bool stats_lacked_memory(void);

double stats_mean(const double *x, size_t n);
double stats_deviation(const double *x, size_t n); /* the denominator is n - 1 */
double stats_median(const double *x, size_t n);
double stats_quantile(const double *x, size_t n, double q); /* interpolates linearly */

/* Student's t interval of the mean. The papers report it over trials. */
struct interval stats_t_interval(const double *x, size_t n);
double stats_t_quantile(double p, double degrees); /* for example p = 0.975 */

/* Percentile bootstrap interval of the median. The same seed gives the same interval. */
struct interval stats_bootstrap_median(const double *x, size_t n, uint64_t seed);

/* The ratio of two variants that were sampled in the same rounds: exp of the median of
 * log(numerator[i] / denominator[i]), with the bootstrap interval over rounds. */
struct ratio {
    double value;
    struct interval interval;
};
struct ratio stats_paired_ratio(const double *numerator, const double *denominator, size_t n,
                                uint64_t seed);

/* The number of samples outside Tukey's fences (1.5 interquartile ranges). No sample is removed. */
size_t stats_count_outliers(const double *x, size_t n);

#endif
