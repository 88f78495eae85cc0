/* Seeded random numbers that are the same on every machine: xoshiro256** seeded by splitmix64
 * (Blackman and Vigna, public domain). Only integer arithmetic and exact scaling by powers of two
 * are used, so that floats are bit-for-bit equal everywhere. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);

/* Derives a seed from `seed` and `stream`, for independent generators. */
uint64_t random_derive(uint64_t seed, uint64_t stream);

uint64_t random_u64(struct random *random);

/* Uniform over 0 .. n-1, without bias; n > 0. */
uint64_t random_below(struct random *random, uint64_t n);

/* Uniform over [0, 1), in multiples of 2^-24 for float and 2^-53 for double. */
float random_float(struct random *random);
double random_double(struct random *random);

#endif
