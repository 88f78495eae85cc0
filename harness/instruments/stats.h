/* Statistics of samples. Only stats_median_in_place changes its input. If there are no samples,
 * values are NaN and counts are 0. */
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
double stats_median_in_place(double *x, size_t n); /* sorts x, which has no NaN; needs no memory */
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

/* --- placements ------------------------------------------------------------------------------- */

/* Statistics of samples that were taken in placements.
 *
 * A placement is a fresh build of a scorer, with fresh copies of documents and scores at other
 * addresses. What depends on addresses (which cache lines displace each other, which loads wait for
 * earlier stores) stays the same in all rounds of a placement. Rounds of one placement are
 * therefore repetitions, not independent evidence. Kalibera and Jones, "Rigorous benchmarking in
 * reasonable time", 2013, explain why repetition is needed at the highest level that varies.
 *
 * The functions estimate by the median over placements of each placement's median over rounds.
 * Their intervals come from a hierarchical bootstrap: draw placements with replacement, then rounds
 * within each drawn placement, and take percentiles. tests/harness/instruments/test_placements.c
 * simulates how often such intervals miss the truth. */

/* Samples in the order of their placements. Each placement has `rounds` samples, and the last one
 * may have fewer. If `rounds` is 0, all samples are of one placement, and the bootstrap draws
 * rounds only. */
struct placed_samples {
    const double *values;
    size_t count, rounds;
};

double placements_median(struct placed_samples samples);

/* `confidence` is, for example, 0.95. The same seed gives the same interval. */
struct interval placements_median_interval(struct placed_samples samples, double confidence,
                                           uint64_t seed);

/* The ratio of two variants that were sampled in the same rounds of the same placements. The ratios
 * of rounds, not the times, are summarised as above. */
struct ratio placements_ratio(struct placed_samples numerator, struct placed_samples denominator,
                              double confidence, uint64_t seed);

/* Student's t interval of the mean of the placements' medians. With very few placements, a
 * bootstrap cannot give a confidence near 1, but this interval can if the medians are about normal.
 * NaN with fewer than 2 placements. */
struct interval placements_t_interval(struct placed_samples samples, double confidence);

/* Returns true if the ratio lies beyond 1 - margin .. 1 + margin by placements_t_interval. */
bool placements_ratio_is_beyond(struct placed_samples numerator, struct placed_samples denominator,
                                double margin, double confidence);

#endif
