/* Bit planes in portable C. The vectors are two 64-bit words, which compilers can split on machines
 * without vector registers.
 *
 * The includer defines KERNEL_PARTS (planes_block_tmpl.h). */
enum {
    KERNEL_REGISTER = 16,
    KERNEL_FAN_BITS = 2,
    KERNEL_STRIP = 8,
    KERNEL_SUMS_MULTIPLE = 32,
    KERNEL_IN_ROWS = 0
};

#include "impls/planes/kernel/planes_block_tmpl.h"
#include "impls/planes/kernel/planes_transpose_tmpl.h"

static inline uint32_t kernel_child(const int32_t *node, int32_t key) {
    return (uint32_t)(key > node[0]) + (uint32_t)(key > node[1]) + (uint32_t)(key > node[2]);
}

static inline void kernel_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    for (size_t doc = 0; doc < 8; doc++)
        for (size_t column = 0; column < 8; column++)
            keys[column * keys_stride + doc] = float_key(x[doc * stride + column]);
}

#include "impls/planes/kernel/planes_ranks_tmpl.h"
#include "impls/planes/kernel/planes_read_tmpl.h"
#include "impls/planes/kernel/planes_tests_tmpl.h"
#include "impls/planes/kernel/planes_values_tmpl.h"
