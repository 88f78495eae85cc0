/* The data caches that the first logical processor sees, as the system reports them. Virtual
 * machines may report sizes that the processor does not have: harness/caches/latency.h measures. */
#ifndef HARNESS_CACHES_CACHES_H
#define HARNESS_CACHES_CACHES_H

#include <stddef.h>

enum { CACHE_LEVELS = 3 };

struct cache {
    size_t bytes;   /* 0: there is no such cache, or its size is unknown */
    unsigned cores; /* physical cores that share it; 0 if unknown */
};

struct caches {
    struct cache levels[CACHE_LEVELS]; /* L1 data, L2, L3 */
};

/* `root` is "" for the running system. Tests pass the folder of a made-up tree with sys/. */
void caches_read(const char *root, struct caches *caches);

/* The part of a cache that one core has if this number of cores score at once: the effective size
 * of jin2016. With one busy core, or if the number of sharing cores is unknown, this is the whole
 * cache. */
size_t caches_effective(const struct cache *cache, unsigned busy_cores);

/* The index of the last level that has a size; -1 if none has. */
int caches_last(const struct caches *caches);

#endif
