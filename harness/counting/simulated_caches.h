/* The caches that callgrind simulates. */
#ifndef HARNESS_COUNTING_SIMULATED_CACHES_H
#define HARNESS_COUNTING_SIMULATED_CACHES_H

#include <stdint.h>

/* Sizes in bytes. The number of sets, which is the size divided by ways and line, must be a power
 * of two. Lines have 64 bytes. */
struct simulated_caches {
    uint32_t l1, l1_ways; /* of instructions, and of data */
    uint32_t last, last_ways;
};

enum { SIMULATED_LINE = 64 };

/* The caches of the Xeon E5-2630 v3 (lettich2018, Table 5). Without a reason for others, all
 * machines simulate these, so that counts from different machines can be compared. */
static const struct simulated_caches simulated_caches_default = {32768, 8, 20971520, 20};

#endif
