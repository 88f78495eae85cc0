/* Measures how long a load waits for the caches and for memory, by a pointer chase (jin2016): each
 * load reads the address of the next one, along a random cycle through a set of cache lines. The
 * time per load tells which level of the caches the set fits into. */
#ifndef HARNESS_CACHES_LATENCY_H
#define HARNESS_CACHES_LATENCY_H

#include "harness/caches/buffer.h"
#include "harness/caches/caches.h"

#include <stddef.h>

enum { LATENCY_SETS_MOST = 256, LATENCY_LEVELS = CACHE_LEVELS + 1, LATENCY_LINE = 64 };

/* The number of sets per doubling of their size. */
struct latency_detail {
    unsigned near;   /* from half to twice the size of a cache */
    unsigned far;    /* elsewhere, up to twice the last cache */
    unsigned beyond; /* from there to 8 times the last cache */
};
/* FULL is the detail that jin2016 needs. SHORT takes a second or less. LEAST is enough for the
 * latency of each level, but does not show where a level ends. */
extern const struct latency_detail latency_full, latency_short, latency_least;

/* Chooses the sizes of sets, in bytes, in ascending order: from 4 KiB to 8 times the last cache, or
 * to 64 MiB if no cache is known, and to `most` at most. Returns their number, at most
 * LATENCY_SETS_MOST. */
size_t latency_choose_sets(const struct caches *caches, const struct latency_detail *detail,
                           size_t most, size_t sets[static LATENCY_SETS_MOST]);

struct latency_point {
    size_t bytes;
    double ns; /* per load */
};

struct latency_curve {
    struct latency_point points[LATENCY_SETS_MOST];
    size_t count;
};

/* Measures sets that were chosen by latency_choose_sets, which must fit into the buffer. Overwrites
 * the buffer. A set takes some milliseconds, and large ones take about 0.1 us per line. */
void latency_measure(const struct memory_buffer *buffer, const size_t *sets, size_t count,
                     struct latency_curve *curve);

/* What a curve says about L1, L2, L3 and memory, in this order. */
struct latency_levels {
    /* The size of each cache: what the system reports. If the last cache ends before 0.75 of this
     * size, the end that was seen, because other virtual machines use the rest. 0 if unknown */
    size_t bytes[CACHE_LEVELS];
    /* The median over the sets between 0.25 and 0.75 of this size, except those that fit into the
     * cache below; for memory, over the sets of at least 4 times the reported last cache. NaN if
     * unknown or if no such set was measured */
    double ns[LATENCY_LEVELS];
    /* The largest set whose latency is nearer to this level than to the next one, on a
     * logarithmic scale. 0 if unknown */
    size_t seen_bytes[CACHE_LEVELS];
};
void latency_derive(const struct latency_curve *curve, const struct caches *caches,
                    struct latency_levels *levels);

/* jin2016's c2 (level 1), c3 (level 2) and c4 (level 3, memory): the latency divided by that of L1,
 * as the paper's values read. NaN if unknown. */
double latency_ratio(const struct latency_levels *levels, int level);

#endif
