#include "harness/latency/histogram.h"

#include <math.h>
#include <stdlib.h>

enum { HALF_BITS = 10, WORD_BITS = 64 };

struct histogram *histogram_create(void) {
    struct histogram *histogram = malloc(sizeof *histogram);
    if (histogram)
        histogram_clear(histogram);
    return histogram;
}

void histogram_clear(struct histogram *histogram) {
    *histogram = (struct histogram){.least = UINT64_MAX};
}

/* Returns how often the distance between two counts has doubled at this value. */
static unsigned doublings(uint64_t value) {
    const uint64_t exact = 2 * HISTOGRAM_HALF - 1;
    return (unsigned)(WORD_BITS - __builtin_clzll(value | exact)) - (HALF_BITS + 1);
}

static size_t index_of(uint64_t value) {
    unsigned times = doublings(value);
    return (size_t)times * HISTOGRAM_HALF + (size_t)(value >> times);
}

/* Returns the largest value that is counted at this index. */
static uint64_t largest_at(size_t index) {
    unsigned times = index < 2 * HISTOGRAM_HALF ? 0 : (unsigned)(index / HISTOGRAM_HALF) - 1;
    uint64_t scaled = index - (uint64_t)times * HISTOGRAM_HALF;
    return ((scaled + 1) << times) - 1;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void histogram_record(struct histogram *histogram, uint64_t value) {
    value = smaller(value, HISTOGRAM_MOST);
    histogram->counts[index_of(value)]++;
    histogram->total++;
    histogram->least = smaller(histogram->least, value);
    histogram->most = value > histogram->most ? value : histogram->most;
}

void histogram_merge(struct histogram *to, const struct histogram *from) {
    for (size_t i = 0; i < HISTOGRAM_COUNTS; i++)
        to->counts[i] += from->counts[i];
    to->total += from->total;
    to->least = smaller(to->least, from->least);
    to->most = from->most > to->most ? from->most : to->most;
}

uint64_t histogram_at(const struct histogram *histogram, uint64_t position) {
    uint64_t below = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTS; i++) {
        below += histogram->counts[i];
        if (below > position)
            return smaller(largest_at(i), histogram->most);
    }
    return histogram->most;
}

/* A share such as 0.0001 is no double, so that a product may lack its last bit. */
uint64_t histogram_percentile(const struct histogram *histogram, double over) {
    uint64_t above = (uint64_t)floor((double)histogram->total * over * (1 + 1e-12));
    return histogram->total ? histogram_at(histogram, histogram->total - above - 1) : 0;
}
