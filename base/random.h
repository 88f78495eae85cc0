/* Seeded random numbers that are the same on every machine: xoshiro256** seeded by splitmix64
 * (Blackman and Vigna, public domain algorithms). Only integer arithmetic and exact scalings by
 * powers of two are used, so that floats are equal bit for bit everywhere. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);

/* A seed that depends on `seed` and on `stream`: independent generators for parts of one whole. */
uint64_t random_derive(uint64_t seed, uint64_t stream);

uint64_t random_u64(struct random *random);

/* Uniform over 0 .. n-1 without bias; n > 0. */
uint64_t random_below(struct random *random, uint64_t n);

/* Uniform over [0, 1): multiples of 2^-24, and of 2^-53. */
float random_float(struct random *random);
double random_double(struct random *random);

#endif
