#include "base/random.h"

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_seed(struct random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

uint64_t random_derive(uint64_t seed, uint64_t stream) {
    uint64_t state = splitmix(&seed) ^ stream;
    return splitmix(&state);
}

static uint64_t rotate_left(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

uint64_t random_u64(struct random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t n) {
    /* Values below 2^64 mod n, and so below n, are drawn again: they would make some results more
     * likely. */
    uint64_t draw;
    do
        draw = random_u64(random);
    while (draw < n && draw < (0 - n) % n); /* the quick comparison nearly always decides */
    return draw % n;
}

float random_float(struct random *random) {
    return (float)(random_u64(random) >> 40) * 0x1p-24f;
}

double random_double(struct random *random) {
    return (double)(random_u64(random) >> 11) * 0x1p-53;
}
