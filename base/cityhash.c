/* The algorithm depends on the length of the text: up to 16, 32 or 64 bytes, or more. All words are
 * read as little-endian numbers. */
#include "base/cityhash.h"

static const uint64_t PRIME_0 = 0xc3a5c85c97cb3127, PRIME_1 = 0xb492b66fbe98f273,
                      PRIME_2 = 0x9ae16a3b2f90404f, PRIME_3 = 0xc949d7c7509e6557,
                      PRIME_PAIR = 0x9ddfea08eb382d69;

struct pair {
    uint64_t first, second;
};

static uint64_t load(const char *at, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

static uint64_t word(const char *at) {
    return load(at, 8);
}

/* `bits` is 1 to 63. */
static uint64_t rotate(uint64_t value, unsigned bits) {
    return value >> bits | value << (64 - bits);
}

static uint64_t mix(uint64_t value) {
    return value ^ value >> 47;
}

static uint64_t join(uint64_t low, uint64_t high) {
    uint64_t once = mix((low ^ high) * PRIME_PAIR);
    uint64_t twice = mix((high ^ once) * PRIME_PAIR);
    return twice * PRIME_PAIR;
}

static uint64_t hash_to_16(const char *text, size_t length) {
    if (length == 0)
        return PRIME_2;
    if (length > 8) {
        uint64_t end = word(text + length - 8);
        return join(word(text), rotate(end + length, (unsigned)length)) ^ end;
    }
    if (length >= 4)
        return join(length + (load(text, 4) << 3), load(text + length - 4, 4));
    uint64_t begin = load(text, 1) | load(text + length / 2, 1) << 8;
    uint64_t end = length + (load(text + length - 1, 1) << 2);
    return mix(begin * PRIME_2 ^ end * PRIME_3) * PRIME_2;
}

static uint64_t hash_to_32(const char *text, size_t length) {
    uint64_t a = word(text) * PRIME_1, b = word(text + 8);
    uint64_t c = word(text + length - 8) * PRIME_2, d = word(text + length - 16) * PRIME_0;
    return join(rotate(a - b, 43) + rotate(c, 30) + d, a + rotate(b ^ PRIME_3, 20) - c + length);
}

/* Hashes 32 bytes. `start` includes the first of their four words. */
static struct pair hash_half(const char *text, uint64_t start) {
    uint64_t last = word(text + 24), sum = start + word(text + 8);
    uint64_t high = rotate(start + last, 52), turned = rotate(start, 37) + rotate(sum, 7);
    sum += word(text + 16);
    return (struct pair){sum + last, high + rotate(sum, 31) + turned};
}

static uint64_t hash_to_64(const char *text, size_t length) {
    const char *end = text + length;
    struct pair v = hash_half(text, word(text) + (length + word(end - 16)) * PRIME_0);
    struct pair w = hash_half(end - 32, word(text + 16) + word(end - 32));
    uint64_t both = mix((v.first + w.second) * PRIME_2 + (w.first + v.second) * PRIME_0);
    return mix(both * PRIME_0 + v.second) * PRIME_2;
}

static struct pair hash_block(const char *text, uint64_t a, uint64_t b) {
    a += word(text);
    b = rotate(b + a + word(text + 24), 21);
    uint64_t sum = a + word(text + 8) + word(text + 16);
    return (struct pair){sum + word(text + 24), b + rotate(sum, 44) + a};
}

static uint64_t hash_long(const char *text, size_t length) {
    const char *end = text + length;
    uint64_t x = word(text), y = word(end - 16) ^ PRIME_1, z = word(end - 56) ^ PRIME_0;
    struct pair v = hash_block(end - 64, length, y);
    struct pair w = hash_block(end - 32, length * PRIME_1, PRIME_0);
    z += mix(v.second) * PRIME_1;
    x = rotate(z + x, 39) * PRIME_1;
    y = rotate(y, 33) * PRIME_1;
    for (size_t left = (length - 1) / 64; left > 0; left--, text += 64) {
        x = rotate(x + y + v.first + word(text + 16), 37) * PRIME_1 ^ w.second;
        y = rotate(y + v.second + word(text + 48), 42) * PRIME_1 ^ v.first;
        z = rotate(z ^ w.first, 33);
        v = hash_block(text, v.second * PRIME_1, x + w.first);
        w = hash_block(text + 32, z + w.second, y);
        uint64_t swapped = z;
        z = x;
        x = swapped;
    }
    return join(join(v.first, w.first) + mix(y) * PRIME_1 + z, join(v.second, w.second) + x);
}

uint64_t cityhash64(const char *text, size_t length) {
    if (length <= 16)
        return hash_to_16(text, length);
    if (length <= 32)
        return hash_to_32(text, length);
    return length <= 64 ? hash_to_64(text, length) : hash_long(text, length);
}
