/* Statistics of samples. No function changes its inputs. If there are no samples, values are NaN
 * and counts are 0. */
#ifndef HARNESS_INSTRUMENTS_STATS_H
#define HARNESS_INSTRUMENTS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, high; /* 95 % confidence; NaN if n < 2 */
};

/* Returns true if any function below has run out of memory. It then returned NaN, or 0 for a count.
 * Commands call this once before they exit, because incomplete results must not look complete. */
bool stats_lacked_memory(void);

/* Allocates like calloc, without zeroing. Returns NULL and remembers it if memory runs out. For
 * statistics in other files. */
void *stats_allocate(size_t count, size_t size);

double stats_mean(const double *x, size_t n);
double stats_deviation(const double *x, size_t n); /* the denominator is n - 1 */
double stats_median(const double *x, size_t n);
double stats_quantile(const double *x, size_t n, double q); /* interpolates linearly */

/* Student's t interval of the mean. The papers report this interval over trials. */
struct interval stats_t_interval(const double *x, size_t n);
double stats_t_quantile(double p, double degrees); /* for example p = 0.975 */

/* The ratio of two times, and its 95 % interval. */
struct ratio {
    double value;
    struct interval interval;
};

/* Counts the samples that lie more than 1.5 interquartile ranges below the first quartile or above
 * the third (Tukey's fences). Removes no sample. */
size_t stats_count_outliers(const double *x, size_t n);

#endif
