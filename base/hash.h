/* The 64-bit FNV-1a hash. Not for secrets. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues a hash with `bytes`. `hash` is HASH_START, or the result of an earlier call. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (const unsigned char *at = bytes, *end = at + size; at < end; at++)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
