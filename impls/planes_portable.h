/* Bit planes in portable C: vectors of two 64-bit words, which every compiler can do without. */
#ifndef IMPLS_PLANES_PORTABLE_H
#define IMPLS_PLANES_PORTABLE_H

#include "impls/planes_types.h"

#define PLANES_REGISTER 16
#define PLANES_PARTS 2
#define PLANES_FAN_BITS 2

static inline uint32_t planes_child(const int32_t *node, int32_t key) {
    return (uint32_t)(key > node[0]) + (uint32_t)(key > node[1]) + (uint32_t)(key > node[2]);
}

static inline void planes_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    for (size_t doc = 0; doc < 8; doc++)
        for (size_t column = 0; column < 8; column++)
            keys[column * keys_stride + doc] = planes_key(x[doc * stride + column]);
}

#endif
