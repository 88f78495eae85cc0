/* A histogram of latencies in the layout of HdrHistogram: 3 significant digits, from 1 ns to about
 * 1 hour. Values below 2,048 ns are exact, and larger ones are wrong by less than 0.1 %. Two
 * histograms can be merged. */
#ifndef HARNESS_LATENCY_HISTOGRAM_H
#define HARNESS_LATENCY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* The layout: counts of the values 0 to 2,047, then 1,024 counts for each doubling. */
enum {
    HISTOGRAM_DIGITS = 3,
    HISTOGRAM_HALF = 1024,
    HISTOGRAM_COUNTS = 33 * HISTOGRAM_HALF,
};
#define HISTOGRAM_MOST ((UINT64_C(1) << 42) - 1) /* ns; longer latencies count as this */

struct histogram {
    uint64_t total, least, most; /* `least` and `most` are exact; least > most if total is 0 */
    uint64_t counts[HISTOGRAM_COUNTS];
};

struct histogram *histogram_create(void); /* NULL if memory runs out; free it with free() */
void histogram_clear(struct histogram *histogram);
void histogram_record(struct histogram *histogram, uint64_t value);
void histogram_merge(struct histogram *to, const struct histogram *from);

/* Returns the value at a position of the sorted values, counted from 0: the largest value that is
 * counted together with it, but no more than `most`. */
uint64_t histogram_at(const struct histogram *histogram, uint64_t position);

/* The percentile of the sample: the least value that at most a share of `over` exceeds. 0
 * without values. */
uint64_t histogram_percentile(const struct histogram *histogram, double over);

#endif
