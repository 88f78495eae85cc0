/* Tables of a tree's float values, for bit planes with sums in floats. Values are looked up by
 * permutations of bytes, so a table stores them byte by byte. */
#ifndef IMPLS_PLANES_KERNEL_PLANES_TABLES_H
#define IMPLS_PLANES_KERNEL_PLANES_TABLES_H

#include <stddef.h>

enum {
    PLANES_VALUE_TABLE = 64, /* values per table; their lowest bytes come first */
    PLANES_FLOAT_TREES = 64  /* trees whose values are added in float before the sum is added to a
                               double; limits the rounding error */
};

/* The size of a tree's tables in bytes. */
static inline size_t planes_tables_bytes(size_t n_codes) {
    return (n_codes + PLANES_VALUE_TABLE - 1) / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE *
           sizeof(float);
}

/* The offset of byte number `byte` of a code's value. */
static inline size_t planes_table_place(size_t code, size_t byte) {
    return code / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE * sizeof(float) +
           PLANES_VALUE_TABLE * byte + code % PLANES_VALUE_TABLE;
}

#endif
