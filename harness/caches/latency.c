#include "harness/caches/latency.h"

#include "base/random.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

const struct latency_detail latency_full = {.near = 15, .far = 4, .beyond = 4};
const struct latency_detail latency_short = {.near = 4, .far = 3, .beyond = 1};
const struct latency_detail latency_least = {.near = 2, .far = 2, .beyond = 1};

enum {
    SMALLEST_SET = 4 << 10,
    UNKNOWN_LARGEST_SET = 64 << 20,
    BEYOND = 8,      /* the largest set is this many times the last cache */
    BEYOND_FROM = 4, /* sets from this many times the last cache tell the latency of memory */
    SEED = 1,
    UNROLLED = 8,
    WARM_LEAST = 1 << 12, /* loads before the timed ones, per piece of the warm-up */
    SAMPLES = 7           /* odd; the median counts, because an interruption lengthens a few */
};
enum { MEMORY = CACHE_LEVELS }; /* the level after the caches */
#define SAMPLE_NS 4e5
#define WARM_NS 1e7 /* sets that take longer do not fit into a cache */

/* --- sets ------------------------------------------------------------------------------------- */

static bool is_near(const struct caches *caches, double bytes) {
    for (int i = 0; i < CACHE_LEVELS; i++) {
        double size = (double)caches->levels[i].bytes;
        if (bytes >= size / 2 && bytes <= size * 2)
            return true;
    }
    return false;
}

size_t latency_choose_sets(const struct caches *caches, const struct latency_detail *detail,
                           size_t most, size_t sets[static LATENCY_SETS_MOST]) {
    int last = caches_last(caches);
    double last_bytes = last >= 0 ? (double)caches->levels[last].bytes : UNKNOWN_LARGEST_SET;
    double largest = last >= 0 ? BEYOND * last_bytes : UNKNOWN_LARGEST_SET;
    largest = fmin(largest, (double)most);
    size_t count = 0;
    /* the steps are rounded */
    for (double bytes = SMALLEST_SET; bytes <= largest * (1 + 1e-9) && count < LATENCY_SETS_MOST;) {
        size_t lines = (size_t)(bytes / LATENCY_LINE + 0.5);
        sets[count++] = lines * LATENCY_LINE < most ? lines * LATENCY_LINE : most;
        unsigned density = bytes >= 2 * last_bytes  ? detail->beyond
                           : is_near(caches, bytes) ? detail->near
                                                    : detail->far;
        bytes *= exp2(1.0 / density);
    }
    /* memory may have no other set that is large enough */
    if (count > 0 && count < LATENCY_SETS_MOST && (double)sets[count - 1] < largest * (1 - 1e-6))
        sets[count++] = (size_t)largest / LATENCY_LINE * LATENCY_LINE;
    return count;
}

/* --- chasing ---------------------------------------------------------------------------------- */

/* Sattolo's shuffle makes a random permutation with one cycle, so that the chase visits all lines.
 * Each line begins with the address of the next one. */
static void link_lines(char *bytes, size_t lines) {
    struct random random;
    random_seed(&random, SEED);
    for (size_t i = 0; i < lines; i++)
        *(void **)(void *)(bytes + i * LATENCY_LINE) = bytes + i * LATENCY_LINE;
    for (size_t i = lines - 1; i > 0; i--) {
        void **a = (void **)(void *)(bytes + i * LATENCY_LINE);
        void **b = (void **)(void *)(bytes + random_below(&random, i) * LATENCY_LINE);
        void *swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

/* Follows the cycle for `rounds` times UNROLLED loads. */
static void *follow(void *at, size_t rounds) {
    for (size_t i = 0; i < rounds; i++) {
        at = *(void **)at, at = *(void **)at, at = *(void **)at, at = *(void **)at;
        at = *(void **)at, at = *(void **)at, at = *(void **)at, at = *(void **)at;
    }
    return at;
}

/* Returns the ns per load, and moves *at along the cycle. */
static double time_loads(void **at, size_t rounds) {
    uint64_t begin = timer_wall_ns();
    *at = follow(*at, rounds);
    /* the compiler must not move or drop the loads */
    __asm__ volatile("" : "+r"(*at) : : "memory");
    return (double)(timer_wall_ns() - begin) / (double)(rounds * UNROLLED);
}

/* One lap before the timing brings a set into the caches that it fits into. Returns the ns per
 * load. */
static double warm_up(void **at, size_t lines) {
    double ns = 0, spent = 0;
    for (size_t loads = 0; loads < lines && spent < WARM_NS; loads += WARM_LEAST) {
        ns = time_loads(at, WARM_LEAST / UNROLLED);
        spent += ns * WARM_LEAST;
    }
    return ns;
}

static double measure_set(char *bytes, size_t size) {
    size_t lines = size / LATENCY_LINE;
    double samples[SAMPLES];
    void *at = bytes;
    link_lines(bytes, lines);
    double ns = warm_up(&at, lines);
    size_t rounds = (size_t)(SAMPLE_NS / (fmax(ns, 0.1) * UNROLLED)) + 1;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = time_loads(&at, rounds);
    return stats_median_in_place(samples, SAMPLES);
}

void latency_measure(const struct memory_buffer *buffer, const size_t *sets, size_t count,
                     struct latency_curve *curve) {
    curve->count = 0;
    for (size_t i = 0; i < count && i < LATENCY_SETS_MOST; i++)
        if (sets[i] <= buffer->size && sets[i] >= LATENCY_LINE)
            curve->points[curve->count++] =
                (struct latency_point){sets[i], measure_set(buffer->bytes, sets[i])};
}

/* --- levels ----------------------------------------------------------------------------------- */

/* The median over the sets from `low` to `high` bytes. */
static double median_between(const struct latency_curve *curve, double low, double high) {
    double ns[LATENCY_SETS_MOST];
    size_t n = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double bytes = (double)curve->points[i].bytes;
        if (bytes >= low && bytes <= high)
            ns[n++] = curve->points[i].ns;
    }
    return stats_median_in_place(ns, n);
}

/* Returns the largest set before the first two sets in a row whose latency is over `most`. One may
 * have been disturbed. Sets smaller than `from` are not looked at. Returns 0 if unknown. */
static size_t find_end(const struct latency_curve *curve, double from, double most) {
    size_t end = 0, over = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct latency_point *point = &curve->points[i];
        over = (double)point->bytes < from || point->ns <= most ? 0 : over + 1;
        if (over == 2)
            return end;
        if (over == 0)
            end = point->bytes;
    }
    return 0; /* no set was large enough to tell, or `most` is NaN */
}

static size_t next_level(const struct caches *caches, size_t level) {
    for (level++; level < MEMORY && caches->levels[level].bytes == 0; level++)
        continue;
    return level;
}

static double level_ns(const struct latency_curve *curve, double below, double bytes) {
    return bytes > 0
               ? median_between(curve, fmax(bytes / 4, nextafter(below, INFINITY)), bytes * 3 / 4)
               : (double)NAN;
}

/* A virtual machine is often told the size of a cache of which other machines use most. Their sets
 * must not count for the last cache, because they are in memory. */
static void correct_last(const struct latency_curve *curve, size_t last, double below,
                         double below_ns, struct latency_levels *levels) {
    size_t end = find_end(curve, below, sqrt(below_ns * levels->ns[MEMORY]));
    if (end > 0 && (double)end < 0.75 * (double)levels->bytes[last]) {
        levels->bytes[last] = end;
        levels->ns[last] = level_ns(curve, below, (double)end);
    }
}

void latency_derive(const struct latency_curve *curve, const struct caches *caches,
                    struct latency_levels *levels) {
    int last = caches_last(caches);
    size_t below = MEMORY; /* the level below the last; MEMORY: none */
    double below_bytes = 0;
    *levels = (struct latency_levels){0};
    for (size_t i = 0; i < CACHE_LEVELS; i++) {
        levels->bytes[i] = caches->levels[i].bytes;
        levels->ns[i] = level_ns(curve, below_bytes, (double)levels->bytes[i]);
        if (levels->bytes[i] > 0 && (int)i < last) {
            below = i;
            below_bytes = (double)levels->bytes[i];
        }
    }
    levels->ns[MEMORY] = (double)NAN;
    if (last >= 0)
        levels->ns[MEMORY] = median_between(
            curve, BEYOND_FROM * (double)levels->bytes[last] * (1 - 1e-6), (double)INFINITY);
    if (below < MEMORY)
        correct_last(curve, (size_t)last, below_bytes, levels->ns[below], levels);
    for (size_t i = 0; i < CACHE_LEVELS; i++)
        if (levels->bytes[i] > 0)
            levels->seen_bytes[i] =
                find_end(curve, (double)levels->bytes[i] / 4,
                         sqrt(levels->ns[i] * levels->ns[next_level(caches, i)]));
}

double latency_ratio(const struct latency_levels *levels, int level) {
    return levels->ns[level] / levels->ns[0];
}
