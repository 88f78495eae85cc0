/* A duet: two builds of libtreebench score the same documents in turns, in one process.
 *
 * One process is one placement: where the loader, the allocator and the kernel put code and data
 * decides part of the time. Call this in a fresh process for every pair of measurements. What
 * disturbs the machine affects both sides alike, because they take turns within milliseconds
 * (Bulej et al., "Duet benchmarking", ICPE 2020). */
#ifndef HARNESS_REGRESS_DUET_H
#define HARNESS_REGRESS_DUET_H

#include "datasets/matrix.h"
#include "harness/regress/pairs.h"

#include <stdint.h>

struct duet_request {
    const char *libraries[PAIR_SIDES]; /* paths of shared libraries */
    const char *model;                 /* a file that both libraries read */
    const struct matrix *documents;
    const char *impl;
    size_t block; /* documents per call; 0: all */
    uint32_t rounds;
    /* decides which side is loaded, built and measured first, and where its memory lies */
    uint64_t seed;
};

/* The ratio and the times are medians over the rounds. STATUS_INPUT if the two sides score
 * differently: their times cannot be compared. */
enum status duet_run(const struct duet_request *request, struct pair *result, struct error *error);

/* Documents of a counted call, at most. */
enum { DUET_COUNTED_MOST = 16 };

/* Marks a call of each side as a region to count (counting/step.h), first of base, then of head.
 * The call scores the first documents: a block of them, but at most DUET_COUNTED_MOST. Both sides
 * score all documents before. `rounds` does not matter. */
enum status duet_count(const struct duet_request *request, struct error *error);

#endif
